#!/usr/bin/env bash
# Times the tokenizer side by side with what is installed, on the files under the given paths, and on a
# megabyte of each of the hardest inputs. Prints MB/s of processor time on one core; rounds alternate, so
# that a machine whose speed drifts slows all of them alike.
#
# Then whole processes, their start included; SESSIONS names a directory of sessions of Claude Code to count.
#
#     tests/bench.sh [PATH…]        ROUNDS=5 SESSIONS=~/.claude/projects/x tests/bench.sh /usr/include
set -euo pipefail
cd "$(dirname "$0")/.."

rounds=${ROUNDS:-5}
paths=("$@")
[ ${#paths[@]} -gt 0 ] || paths=("${CARGO_HOME:-$HOME/.cargo}/registry/src")

cargo build --release --quiet --example throughput
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
throughput=$target/release/examples/throughput

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

# Whole processes. The vocabularies of the Python packages are those that tiktoken-rs carries, put where
# the packages look for what they would else download.
cargo build --release --quiet --bin ctx
ctx=$target/release/ctx
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
export TIKTOKEN_CACHE_DIR=$work/vocabularies
mkdir "$TIKTOKEN_CACHE_DIR"
assets=$(echo "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/tiktoken-rs-*/assets)
for name in o200k_base cl100k_base; do
    address=https://openaipublic.blob.core.windows.net/encodings/$name.tiktoken
    cp "${assets##* }/$name.tiktoken" "$TIKTOKEN_CACHE_DIR/$(printf %s $address | sha1sum | cut -d' ' -f1)"
done

# chat BYTES: a conversation of our own sources, forty lines a message.
chat() {
    cat src/*.rs src/*/*.rs src/*/*/*.rs | sed 's/\\/\\\\/g; s/"/\\"/g; s/\t/\\t/g' | awk -v most="$1" '
        { text = text $0 "\\n" }
        (NR % 40 == 0 || length(text) >= most) && size < most {
            size += length(text)
            printf "%s{\"role\":\"%s\",\"content\":\"%s\"}", n++ ? ",\n" : "[", n % 2 ? "user" : "assistant", text
            text = ""
        }
        END { print "]" }'
}
chat 900 > "$work/1kB.json"
chat 990000 > "$work/1MB.json"
# 64 MB, one conversation.
{ echo '['; for i in {1..64}; do [ "$i" = 1 ] || echo ','; sed '1s/^\[//; $s/\]$//' "$work/1MB.json"; done; echo ']'; } > "$work/64MB.json"
# 100 MB, a conversation of about 3 kB a line.
sed '1s/^\[//; $s/\]$//; s/,$//' "$work/1MB.json" | paste -d, - - | sed 's/,$//; s/.*/{"messages":[&]}/' > "$work/lines.jsonl"
while cat "$work/lines.jsonl"; do :; done 2> /dev/null | head -c 100000000 | sed '$d' > "$work/100MB.jsonl" || true

ours() { "$ctx" count "$1"; }
theirs() { "$throughput" --tiktoken "$1"; }
ttok_() { ttok -m gpt-4o < "$1"; }
python_() { python3 -c 'import sys, tiktoken; tiktoken.get_encoding("o200k_base").encode_ordinary(open(sys.argv[1]).read())' "$1"; }
nothing() { /bin/true; }

# race FILE RUNNER…: a row of median wall times in milliseconds. One that fails is left out, visibly.
race() {
    local file=$1 i runner start row
    local -A times
    shift
    for ((i = 0; i < rounds; i++)); do
        for runner in "$@"; do
            start=${EPOCHREALTIME/./}
            if "$runner" "$work/$file" > /dev/null 2>&1; then
                times[$runner]+="$((${EPOCHREALTIME/./} - start)) "
            fi
        done
    done
    row="| $file |"
    for runner in "$@"; do
        row+=" $(tr ' ' '\n' <<< "${times[$runner]-}" | sed '/^$/d' | median | awk '{ if ($1) printf "%.1f", $1 / 1000; else print "-" }') |"
    done
    echo "$row"
}

printf '\n| ms, whole process | nothing | ctx count | tiktoken-rs | ttok | Python tiktoken |\n|---|---|---|---|---|---|\n'
race 1kB.json nothing ours theirs ttok_ python_
race 1MB.json nothing ours theirs ttok_ python_
race 64MB.json nothing ours theirs
race 100MB.jsonl nothing ours theirs

# wall NAME ARGUMENT…: the median wall time of a command, in milliseconds.
wall() {
    local name=$1 times=() i start
    shift
    for ((i = 0; i < rounds; i++)); do
        start=${EPOCHREALTIME/./}
        "$ctx" "$@" > /dev/null 2>&1 || true
        times+=("$((${EPOCHREALTIME/./} - start))")
    done
    printf '%s\n' "${times[@]}" | median | awk -v name="$name" '{ printf "| %s | %.1f |\n", name, $1 / 1000 }'
}

printf '\n| ms, whole process | ctx |\n|---|---|\n'
wall '`ctx check 1MB.json`' check "$work/1MB.json"
wall '`ctx truncate --budget 50k 1MB.json`' truncate --budget 50k "$work/1MB.json"
wall '`ctx truncate --budget 100M 64MB.json`' truncate --budget 100M "$work/64MB.json"
wall '`ctx compact --budget 30k 1MB.json`' compact --budget 30k "$work/1MB.json"
if [ -n "${SESSIONS-}" ]; then
    sessions=("$SESSIONS"/*.jsonl)
    size=$(cat "${sessions[@]}" | wc -c)
    wall "\`ctx count\`, ${#sessions[@]} sessions of Claude Code, $((size / 1000000)) MB" count "${sessions[@]}"
fi
