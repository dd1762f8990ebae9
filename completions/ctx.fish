# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_ctx_global_optspecs
    string join \n h/help V/version
end

function __fish_ctx_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_ctx_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_ctx_using_subcommand
    set -l cmd (__fish_ctx_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c ctx -n "__fish_ctx_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctx -n "__fish_ctx_needs_command" -s V -l version -d 'Print version'
complete -c ctx -n "__fish_ctx_needs_command" -f -a "count" -d 'Count tokens, and show where they are'
complete -c ctx -n "__fish_ctx_needs_command" -f -a "check" -d 'Say whether a conversation fits and is valid: exit 0 or 1'
complete -c ctx -n "__fish_ctx_needs_command" -f -a "partition" -d 'Part a conversation into head, middle and tail, at legal cuts only'
complete -c ctx -n "__fish_ctx_needs_command" -f -a "truncate" -d 'Shorten tool results and drop old messages, without a summary'
complete -c ctx -n "__fish_ctx_needs_command" -f -a "normalize" -d 'Repair a conversation so that its provider accepts it'
complete -c ctx -n "__fish_ctx_needs_command" -f -a "compact" -d 'Replace the middle of a conversation with a summary'
complete -c ctx -n "__fish_ctx_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c ctx -n "__fish_ctx_using_subcommand count" -l by -d 'Break the count down, largest first' -r -f -a "role\t'By who speaks'
part\t'By kind of part'
tool\t'By tool'
message\t'By message, numbered from 0 as in findings, reports and digests'
turn\t'By turn'"
complete -c ctx -n "__fish_ctx_using_subcommand count" -l dialect -d 'Wire shape of the input, instead of recognising it' -r -f -a "openai\t''
anthropic\t''
bedrock\t''
responses\t''
gemini\t''
claude-code\t''
codex\t''
sharegpt\t''
pi\t''
opencode\t''
gemini-cli\t''
openhands\t''
langchain\t''
ui-message\t''
chatgpt\t''"
complete -c ctx -n "__fish_ctx_using_subcommand count" -l encoding -d 'Encoding to count in: `o200k_base`, `cl100k_base`, or `approx` for characters / 4' -r
complete -c ctx -n "__fish_ctx_using_subcommand count" -l model -d 'Model whose encoding, window and image rule to use' -r
complete -c ctx -n "__fish_ctx_using_subcommand count" -l usage -d 'Compare with the token usage that the log records'
complete -c ctx -n "__fish_ctx_using_subcommand count" -l json -d 'Print one JSON object a conversation'
complete -c ctx -n "__fish_ctx_using_subcommand count" -l all -d 'Read every line of a session log, not only those its agent would send on resuming'
complete -c ctx -n "__fish_ctx_using_subcommand count" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctx -n "__fish_ctx_using_subcommand check" -l hard -d 'Most tokens that it may count at all, as a finding of its own' -r
complete -c ctx -n "__fish_ctx_using_subcommand check" -l for -d 'Provider whose rules hold, instead of the dialect\'s own; a list in another\'s shape is a fault' -r -f -a "openai\t'OpenAI Chat Completions'
responses\t'OpenAI Responses'
anthropic\t'Anthropic Messages'
bedrock\t'Bedrock Converse'
gemini\t'Gemini'
mistral\t'Mistral'"
complete -c ctx -n "__fish_ctx_using_subcommand check" -l only -d 'Ask only one of the two questions' -r -f -a "fit\t'Does it fit?'
valid\t'Is it valid?'"
complete -c ctx -n "__fish_ctx_using_subcommand check" -l dialect -d 'Wire shape of the input, instead of recognising it' -r -f -a "openai\t''
anthropic\t''
bedrock\t''
responses\t''
gemini\t''
claude-code\t''
codex\t''
sharegpt\t''
pi\t''
opencode\t''
gemini-cli\t''
openhands\t''
langchain\t''
ui-message\t''
chatgpt\t''"
complete -c ctx -n "__fish_ctx_using_subcommand check" -l encoding -d 'Encoding to count in: `o200k_base`, `cl100k_base`, or `approx` for characters / 4' -r
complete -c ctx -n "__fish_ctx_using_subcommand check" -l model -d 'Model whose encoding, window and image rule to use' -r
complete -c ctx -n "__fish_ctx_using_subcommand check" -l window -d 'Context window in tokens: with fewer than 16k nothing fits [default: the model\'s, else 200k or a larger threshold]' -r
complete -c ctx -n "__fish_ctx_using_subcommand check" -l threshold -d 'Where compaction is needed from: a ratio of the window (`1.0` is all of it), or tokens (`1` is one) [default: 0.92]' -r
complete -c ctx -n "__fish_ctx_using_subcommand check" -l portable -d 'Let the rules of all providers hold at once'
complete -c ctx -n "__fish_ctx_using_subcommand check" -l usage -d 'Correct the count by the token usage that the log records'
complete -c ctx -n "__fish_ctx_using_subcommand check" -l json -d 'Print one JSON object a conversation: whether it `fits` and is `valid`, with all findings'
complete -c ctx -n "__fish_ctx_using_subcommand check" -l sarif -d 'Print the findings as SARIF, for code review'
complete -c ctx -n "__fish_ctx_using_subcommand check" -s q -l quiet -d 'Print nothing; the exit status answers'
complete -c ctx -n "__fish_ctx_using_subcommand check" -l all -d 'Read every line of a session log, not only those its agent would send on resuming'
complete -c ctx -n "__fish_ctx_using_subcommand check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctx -n "__fish_ctx_using_subcommand partition" -l keep-tail -d 'Tokens of the newest messages that are the tail, the one that crosses the number with them' -r
complete -c ctx -n "__fish_ctx_using_subcommand partition" -l part -d 'Print this part alone, in the shape of the input' -r -f -a "head\t'The leading instructions'
middle\t'What may be summarised'
tail\t'The newest messages'"
complete -c ctx -n "__fish_ctx_using_subcommand partition" -l chunks -d 'Print the middle as JSON Lines: conversations of at most so many tokens each, all or none' -r
complete -c ctx -n "__fish_ctx_using_subcommand partition" -l dialect -d 'Wire shape of the input, instead of recognising it' -r -f -a "openai\t''
anthropic\t''
bedrock\t''
responses\t''
gemini\t''
claude-code\t''
codex\t''
sharegpt\t''
pi\t''
opencode\t''
gemini-cli\t''
openhands\t''
langchain\t''
ui-message\t''
chatgpt\t''"
complete -c ctx -n "__fish_ctx_using_subcommand partition" -l encoding -d 'Encoding to count in: `o200k_base`, `cl100k_base`, or `approx` for characters / 4' -r
complete -c ctx -n "__fish_ctx_using_subcommand partition" -l model -d 'Model whose encoding, window and image rule to use' -r
complete -c ctx -n "__fish_ctx_using_subcommand partition" -l keep-first-user -d 'Let the head include the first user message'
complete -c ctx -n "__fish_ctx_using_subcommand partition" -l all -d 'Read every line of a session log, not only those its agent would send on resuming'
complete -c ctx -n "__fish_ctx_using_subcommand partition" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctx -n "__fish_ctx_using_subcommand truncate" -l max-tokens -d 'Most tokens of a tool result, 1 or more; `none` for no limit [default: 5000 without another policy]' -r
complete -c ctx -n "__fish_ctx_using_subcommand truncate" -l max-bytes -d 'Most bytes of a tool result, 3 or more' -r
complete -c ctx -n "__fish_ctx_using_subcommand truncate" -l max-chars -d 'Most characters of a tool result, 1 or more' -r
complete -c ctx -n "__fish_ctx_using_subcommand truncate" -l head-share -d 'Share of a cut result that its beginning gets; the end gets the rest [default: 0.5]' -r
complete -c ctx -n "__fish_ctx_using_subcommand truncate" -l allowance -d 'Allow so many times the limit, for what serialization adds [default: 1]' -r
complete -c ctx -n "__fish_ctx_using_subcommand truncate" -l tool-budget -d 'Bytes that the last batch may hold before its largest results go to files; results of 4000 bytes or less stay. The last batch is the newest results, back to a message that has none [default: 200k]' -r
complete -c ctx -n "__fish_ctx_using_subcommand truncate" -l spill -d 'Write the largest results of the last batch to files in DIR: a preview stays' -r -F
complete -c ctx -n "__fish_ctx_using_subcommand truncate" -l keep-results -d 'Let placeholders stand for all but the newest N results' -r
complete -c ctx -n "__fish_ctx_using_subcommand truncate" -l idle -d 'Clear only results older than the last pause of this length' -r
complete -c ctx -n "__fish_ctx_using_subcommand truncate" -l max-messages -d 'Keep at most N messages: where there is room the first three (the system prompt is one, and stays), and of the others the newest, calls with their results; a summary, later instructions and notes of what went are not counted' -r
complete -c ctx -n "__fish_ctx_using_subcommand truncate" -l budget -d 'Drop the oldest exchanges until all counts at most so many tokens; a result that alone would take all the room is cut' -r
complete -c ctx -n "__fish_ctx_using_subcommand truncate" -l tools -d 'Clear and shorten only results of these tools; a budget may still take others' -r
complete -c ctx -n "__fish_ctx_using_subcommand truncate" -l keep-tools -d 'Never touch results of these tools' -r
complete -c ctx -n "__fish_ctx_using_subcommand truncate" -l dialect -d 'Wire shape of the input, instead of recognising it' -r -f -a "openai\t''
anthropic\t''
bedrock\t''
responses\t''
gemini\t''
claude-code\t''
codex\t''
sharegpt\t''
pi\t''
opencode\t''
gemini-cli\t''
openhands\t''
langchain\t''
ui-message\t''
chatgpt\t''"
complete -c ctx -n "__fish_ctx_using_subcommand truncate" -l encoding -d 'Encoding to count in: `o200k_base`, `cl100k_base`, or `approx` for characters / 4' -r
complete -c ctx -n "__fish_ctx_using_subcommand truncate" -l model -d 'Model whose encoding, window and image rule to use' -r
complete -c ctx -n "__fish_ctx_using_subcommand truncate" -s o -l output -d 'Write to FILE instead of standard output, if no input fails; `-` is standard output' -r -F
complete -c ctx -n "__fish_ctx_using_subcommand truncate" -s j -l jobs -d 'Conversations to handle at once [default: one a core; one with --spill; 4 where a model summarises]' -r
complete -c ctx -n "__fish_ctx_using_subcommand truncate" -l keep-json -d 'Cut a result that is JSON so that it still is'
complete -c ctx -n "__fish_ctx_using_subcommand truncate" -l dedupe -d 'Let a placeholder stand for a reading that a later one of the same part repeats byte for byte, or whose file was edited since; of commands, those count as edits that plainly change a file they name'
complete -c ctx -n "__fish_ctx_using_subcommand truncate" -l append -d 'Leave every line of a session log, and append changed copies and its agent\'s own records'
complete -c ctx -n "__fish_ctx_using_subcommand truncate" -l all -d 'Read every line of a session log, not only those its agent would send on resuming'
complete -c ctx -n "__fish_ctx_using_subcommand truncate" -s i -l in-place -d 'Replace each FILE by its result, atomically'
complete -c ctx -n "__fish_ctx_using_subcommand truncate" -s q -l quiet -d 'Say nothing but errors, and what was asked for and not done'
complete -c ctx -n "__fish_ctx_using_subcommand truncate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctx -n "__fish_ctx_using_subcommand normalize" -l for -d 'Provider whose rules to establish, instead of the dialect\'s own' -r -f -a "openai\t'OpenAI Chat Completions'
responses\t'OpenAI Responses'
anthropic\t'Anthropic Messages'
bedrock\t'Bedrock Converse'
gemini\t'Gemini'
mistral\t'Mistral'"
complete -c ctx -n "__fish_ctx_using_subcommand normalize" -l model -d 'Model that is to read it, instead of the one that it names: what it makes of signatures of thinking' -r
complete -c ctx -n "__fish_ctx_using_subcommand normalize" -l report -d 'Write the repairs as JSON to FILE; `-` is standard error, where they come last, behind messages: with -q only errors and warnings' -r -F
complete -c ctx -n "__fish_ctx_using_subcommand normalize" -l dialect -d 'Wire shape of the input, instead of recognising it' -r -f -a "openai\t''
anthropic\t''
bedrock\t''
responses\t''
gemini\t''
claude-code\t''
codex\t''
sharegpt\t''
pi\t''
opencode\t''
gemini-cli\t''
openhands\t''
langchain\t''
ui-message\t''
chatgpt\t''"
complete -c ctx -n "__fish_ctx_using_subcommand normalize" -s o -l output -d 'Write to FILE instead of standard output, if no input fails; `-` is standard output' -r -F
complete -c ctx -n "__fish_ctx_using_subcommand normalize" -s j -l jobs -d 'Conversations to handle at once [default: one a core; one with --spill; 4 where a model summarises]' -r
complete -c ctx -n "__fish_ctx_using_subcommand normalize" -l strict -d 'Refuse repairs that lose something that was said'
complete -c ctx -n "__fish_ctx_using_subcommand normalize" -l all -d 'Read every line of a session log, not only those its agent would send on resuming'
complete -c ctx -n "__fish_ctx_using_subcommand normalize" -s i -l in-place -d 'Replace each FILE by its result, atomically'
complete -c ctx -n "__fish_ctx_using_subcommand normalize" -s q -l quiet -d 'Say nothing but errors, and what was asked for and not done'
complete -c ctx -n "__fish_ctx_using_subcommand normalize" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l dialect -d 'Wire shape of the input, instead of recognising it' -r -f -a "openai\t''
anthropic\t''
bedrock\t''
responses\t''
gemini\t''
claude-code\t''
codex\t''
sharegpt\t''
pi\t''
opencode\t''
gemini-cli\t''
openhands\t''
langchain\t''
ui-message\t''
chatgpt\t''"
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l encoding -d 'Encoding to count in: `o200k_base`, `cl100k_base`, or `approx` for characters / 4' -r
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l model -d 'Model whose encoding, window and image rule to use' -r
complete -c ctx -n "__fish_ctx_using_subcommand compact" -s o -l output -d 'Write to FILE instead of standard output, if no input fails; `-` is standard output' -r -F
complete -c ctx -n "__fish_ctx_using_subcommand compact" -s j -l jobs -d 'Conversations to handle at once [default: one a core; one with --spill; 4 where a model summarises]' -r
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l window -d 'Context window in tokens [default: the model\'s, else 200k or a larger threshold]' -r
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l threshold -d 'Where compaction is needed from: a ratio of the window (`1.0` is all of it), or tokens (`1` is one) [default: 0.92]' -r
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l reserve -d 'Compact from the window minus so many tokens on' -r
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l budget -d 'Most tokens of the result; the threshold too, without --threshold, --window and --model [default: a quarter of the window, half the threshold at most]' -r
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l overflow -d 'Compact as far as the provider\'s overflow error in FILE asks for' -r -F
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l min-saving -d 'Leave the conversation as it is if less than this share would be saved [default: aim at 0.05]' -r
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l profile -d 'Set of choices to start from; the flags below go before its own' -r -f -a "standard\t'what retains most: user messages, a digest, a tail where there is room'
head-tail\t'system prompt, summary, newest messages'
codex\t'system prompt, user messages up to 20k tokens or half the room, summary, protected tools'
claude-code\t'large results to files with --spill, middle dropped, old results cleared, then a summary alone'
anchor\t'first user message with the summary in it, last six messages'"
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l keep-users -d 'Keep user messages up to so many tokens, the newest first' -r
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l keep-tail -d 'Keep so many tokens of the newest messages' -r
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l keep-results -d 'Keep the newest N tool results, or say the least budget in which they fit' -r
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l tools -d 'Clear and shorten only results of these tools; a budget may still take others' -r
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l keep-tools -d 'Never touch results of these tools' -r
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l spill -d 'Write the largest results of the last batch to files in DIR: a preview stays, or the summary names the file' -r -F
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l tool-budget -d 'Bytes that the last batch may hold before its largest results go to files; results of 4000 bytes or less stay. The last batch is the newest results, back to a message that has none [default: 200k]' -r
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l restore -d 'Restore up to N recently read files behind the summary' -r
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l summarizer -d 'Who summarises' -r -f -a "digest\t'The built-in digest: offline, the same bytes every time'
openai\t'A model behind OpenAI Chat Completions or a compatible server'
responses\t'A model behind OpenAI Responses'
anthropic\t'A model behind Anthropic Messages'
gemini\t'A model behind Gemini'
command\t'The command that --command names'
file\t'The file that --summary-file names'
none\t'Nobody: a note stands for the middle'"
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l command -d 'Shell command that reads a prompt and prints a summary' -r
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l summary-file -d 'File that holds the summary already; `-` is standard input' -r -F
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l base-url -d 'Address of a compatible server, as in `http://localhost:8080/v1`' -r
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l summary-model -d 'Model that summarises' -r
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l max-summary-tokens -d 'Most tokens of the summary' -r
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l audit -d 'Append what the summary of a model or file forgot: files changed, commands, the newest request [default: true]' -r -f -a "true\t''
false\t''"
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l api-key-file -d 'File that holds the API key, instead of the environment' -r -F
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l prompt-file -d 'File whose text replaces the prompt\'s task' -r -F
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l instructions -d 'What the summary should pay attention to' -r
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l connect-timeout -d 'Longest wait for a connection: 10, 10s, 1m [default: 10s]' -r
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l timeout -d 'Longest wait for one answer [default: 120s]' -r
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l deadline -d 'Longest wait for the summary in all [default: 600s]' -r
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l retries -d 'How often a failed request is repeated [default: 2]' -r
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l on-failure -d 'What to do when there is no summary after all [default: digest]' -r -f -a "digest\t'Use the built-in digest, with a warning'
original\t'Leave the conversation as it is'
fail\t'Exit with status 2; also when --archive fails, which is else a warning'"
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l archive -d 'Save the removed messages, and other lines that go, in DIR/SESSION before anything is written' -r -F
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l session -d 'Name of the session in the archive [default: the log\'s own id, else the file\'s name]' -r
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l report -d 'Write what was done as JSON to FILE, a line a conversation; `-` is standard error, where it comes last, behind messages: with -q only errors and warnings' -r -F
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l all -d 'Read every line of a session log, not only those its agent would send on resuming'
complete -c ctx -n "__fish_ctx_using_subcommand compact" -s i -l in-place -d 'Replace each FILE by its result, atomically'
complete -c ctx -n "__fish_ctx_using_subcommand compact" -s q -l quiet -d 'Say nothing but errors, and what was asked for and not done'
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l force -d 'Compact under the threshold too'
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l keep-first-user -d 'Keep the first user message'
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l redact -d 'Mask keys, tokens and passwords in the summary, in restored files, and in what is sent for a summary; messages that stay or are archived are as they were'
complete -c ctx -n "__fish_ctx_using_subcommand compact" -l append -d 'Leave every line of a session log, and append its agent\'s own records of a compaction'
complete -c ctx -n "__fish_ctx_using_subcommand compact" -s n -l dry-run -d 'Say what would be done, step by step; print what a model would be asked; write nothing'
complete -c ctx -n "__fish_ctx_using_subcommand compact" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ctx -n "__fish_ctx_using_subcommand help; and not __fish_seen_subcommand_from count check partition truncate normalize compact help" -f -a "count" -d 'Count tokens, and show where they are'
complete -c ctx -n "__fish_ctx_using_subcommand help; and not __fish_seen_subcommand_from count check partition truncate normalize compact help" -f -a "check" -d 'Say whether a conversation fits and is valid: exit 0 or 1'
complete -c ctx -n "__fish_ctx_using_subcommand help; and not __fish_seen_subcommand_from count check partition truncate normalize compact help" -f -a "partition" -d 'Part a conversation into head, middle and tail, at legal cuts only'
complete -c ctx -n "__fish_ctx_using_subcommand help; and not __fish_seen_subcommand_from count check partition truncate normalize compact help" -f -a "truncate" -d 'Shorten tool results and drop old messages, without a summary'
complete -c ctx -n "__fish_ctx_using_subcommand help; and not __fish_seen_subcommand_from count check partition truncate normalize compact help" -f -a "normalize" -d 'Repair a conversation so that its provider accepts it'
complete -c ctx -n "__fish_ctx_using_subcommand help; and not __fish_seen_subcommand_from count check partition truncate normalize compact help" -f -a "compact" -d 'Replace the middle of a conversation with a summary'
complete -c ctx -n "__fish_ctx_using_subcommand help; and not __fish_seen_subcommand_from count check partition truncate normalize compact help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
