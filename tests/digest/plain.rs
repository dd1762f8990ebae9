//! Agents that talk to their shell in plain text: commands in fenced blocks, results in the user's role.

use crate::script::Script;

fn step(script: Script, (said, command, printed): (&str, &str, &str)) -> Script {
    script.assistant(&format!("{said}\n\n```bash\n{command}\n```")).user(printed)
}

#[test]
fn a_fenced_command_is_a_call_and_what_it_printed_its_result() {
    let task =
        "Please solve this issue: the parser drops the last field of a line in lib/fields.py.";
    let steps = [
        (
            "Let me look.",
            "cat lib/fields.py",
            "<returncode>0</returncode>\n<output>\ndef split(line):\n    return line.split(';')[:-1]\n</output>",
        ),
        (
            "The slice drops it.",
            "sed -i 's/\\[:-1\\]//' lib/fields.py",
            "<returncode>0</returncode>\n<output>\n</output>",
        ),
        (
            "Now the tests.",
            "python -m pytest tests/test_fields.py",
            "<returncode>1</returncode>\n<output>\nE   ImportError: no module named fields_legacy\n1 failed, 3 passed in 0.2s\n</output>",
        ),
    ];
    let script = steps.into_iter().fold(Script::default().user(task), step);
    let text =
        script.assistant("I go on with the import.").user("Observation: nothing.").digest(160);
    assert!(text.contains("edited in lib: fields.py"), "{text}");
    assert!(text.contains("$ python -m pytest tests/test_fields.py → failed"), "{text}");
    assert!(text.contains("1 failed, 3 passed"), "{text}");
    assert!(!text.contains("returncode") && !text.contains("```"), "{text}");
    assert_eq!(text.matches("User").count(), 1, "{text}");
}

#[test]
fn what_a_prompt_ends_is_no_request() {
    let task = "Find the flag.\n(Open file: n/a)\n(Current directory: /ctf)\nbash-$";
    let printed = "flag.txt\n(Open file: n/a)\n(Current directory: /ctf)\nbash-$";
    let script = step(Script::default().user(task), ("I list them.", "ls", printed));
    let script = step(script, ("I read it.", "cat flag.txt", "FLAG\n(Open file: n/a)\nbash-$"));
    let text = script.assistant("Found.").user("Thanks.").digest(90);
    assert!(text.contains("$ ls → ok") && text.contains("$ cat flag.txt → ok"), "{text}");
    assert_eq!(text.matches("bash-$").count(), 1, "the task's own: {text}");
}
