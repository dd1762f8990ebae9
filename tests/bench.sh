#!/usr/bin/env bash
# Times the tokenizer side by side with what is installed, on the files under the given paths, and on a
# megabyte of each of the hardest inputs. Prints MB/s of processor time on one core; rounds alternate, so
# that a machine whose speed drifts slows all of them alike.
#
#     tests/bench.sh [PATH…]        ROUNDS=5 tests/bench.sh /usr/include
set -euo pipefail
cd "$(dirname "$0")/.."

rounds=${ROUNDS:-5}
paths=("$@")
[ ${#paths[@]} -gt 0 ] || paths=("${CARGO_HOME:-$HOME/.cargo}/registry/src")

cargo build --release --quiet --example throughput
throughput=target/release/examples/throughput

median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
speed() { awk '{ print $(NF - 1) }'; }

# speeds NAME ARGUMENT…: a row of the table.
speeds() {
    local name=$1 ours=() theirs=() i
    shift
    for ((i = 0; i < rounds; i++)); do
        ours+=("$("$throughput" "$@" | speed)")
        theirs+=("$({ "$throughput" --tiktoken "$@" 2>/dev/null || true; } | speed)")
    done
    awk -v name="$name" -v ours="$(printf '%s\n' "${ours[@]}" | median)" \
        -v theirs="$(printf '%s\n' "${theirs[@]}" | median)" 'BEGIN {
            ratio = theirs > 0 ? sprintf("%.1f", ours / theirs) : "panics"
            printf "| %s | %s | %s | %s |\n", name, ours, theirs == "" ? "-" : theirs, ratio
        }'
}

# The speed of the Python package, if it and its vocabulary are installed, over the same files.
python() {
    python3 -c 'import tiktoken; tiktoken.get_encoding("o200k_base")' 2>/dev/null || return 0
    python3 - "${paths[@]}" <<'PYTHON'
import os, sys, time, tiktoken
texts = []
for top in sys.argv[1:]:
    for folder, _, names in os.walk(top) if os.path.isdir(top) else [(os.path.dirname(top), [], [os.path.basename(top)])]:
        for name in names:
            try:
                texts.append(open(os.path.join(folder, name), encoding="utf-8", newline="").read())
            except (UnicodeDecodeError, OSError):
                pass
encoding = tiktoken.get_encoding("o200k_base")
size = sum(len(text.encode()) for text in texts)
start = time.process_time()
for text in texts:
    encoding.encode_ordinary(text)
print(f"\nPython tiktoken, o200k_base: {size / 1e6 / (time.process_time() - start):.1f} MB/s")
PYTHON
}

echo "| MB/s, one core | ctx | tiktoken-rs | ratio |"
echo "|---|---|---|---|"
speeds "o200k_base" "${paths[@]}"
speeds "cl100k_base" --encoding cl100k_base "${paths[@]}"
for name in equals spaces newlines as abab letters hex base64 chinese emoji marks; do
    speeds "1 MB: $name" "gen:$name"
done
python

# Whole processes: the table of the README.
cargo build --release --quiet --bin ctx
ctx=$PWD/target/release/ctx
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# A chat of our own sources, forty lines a message, of about 200,000 tokens.
cat src/*.rs src/*/*.rs src/*/*/*.rs | sed 's/\\/\\\\/g; s/"/\\"/g; s/\t/\\t/g' | awk '
    { text = text $0 "\\n" }
    NR % 40 == 0 && n < 520 {
        printf "%s{\"role\":\"%s\",\"content\":\"%s\"}", n++ ? ",\n" : "[", n % 2 ? "user" : "assistant", text
        text = ""
    }
    END { print "]" }' > "$work/chat.json"
# A data set of 100 MB, one conversation a line.
line=$(sed -n 1,3p "$work/chat.json" | tr -d '\n' | sed 's/,*$/]/')
{ yes "{\"messages\":$line}" || true; } | head -c 100000000 | sed '$d' > "$work/set.jsonl" || true

# wall NAME ARGUMENT…: the median wall time of a command, in milliseconds.
wall() {
    local name=$1 times=() i start
    shift
    for ((i = 0; i < rounds; i++)); do
        start=$(date +%s%N)
        "$ctx" "$@" > /dev/null 2>&1 || true
        times+=("$((($(date +%s%N) - start) / 10000))")
    done
    printf '%s\n' "${times[@]}" | median | awk -v name="$name" '{ printf "| %s | %.1f ms |\n", name, $1 / 100 }'
}

printf '\nchat.json: %s\n\n| what | time |\n|---|---|\n' "$("$ctx" count "$work/chat.json" | awk '{ print $1 }') tokens"
wall '`ctx count` of 1 kB' count testdata/openai/plain.json
wall '`ctx count chat.json`' count "$work/chat.json"
wall '`ctx check chat.json`' check "$work/chat.json"
wall '`ctx truncate --budget 50k chat.json`' truncate --budget 50k "$work/chat.json"
wall '`ctx compact --budget 30k chat.json`' compact --budget 30k "$work/chat.json"
wall '`ctx count` of a data set of 100 MB' count "$work/set.jsonl"
