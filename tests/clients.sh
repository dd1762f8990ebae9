#!/bin/sh
# Do the real clients resume what ctx wrote, and do they send what ctx counted?
#
# Installs Claude Code and Codex from npm (or takes those in $CTX_CLIENTS), and resumes compacted and
# truncated sessions against a provider on the loopback interface, in a network namespace that has
# no other network. Skipped, and said so, where npm or the namespace is missing.
#
#     tests/clients.sh [CTX [LOG...]]
#
# LOGs are more sessions to try; each is compacted to a half, both ways. One that its client does not
# resume as it was is skipped: a subagent's, or what is no whole session.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
ctx=$(realpath "${1:-$here/../target/release/ctx}")
[ $# -eq 0 ] || shift
claude_version=2.1.197
codex_version=0.169.0

skip() {
    echo "skipped: $1"
    exit 0
}

if [ -z "${CTX_IN_NAMESPACE:-}" ]; then
    command -v node >/dev/null && command -v npm >/dev/null || skip "no npm here"
    unshare -rn ip link set lo up 2>/dev/null || skip "no network namespace here"
    [ -x "$ctx" ] || { echo "no $ctx: cargo build --release" >&2; exit 2; }
    work=$(mktemp -d)
    [ -n "${KEEP:-}" ] || trap 'rm -rf "$work"' EXIT
    clients=${CTX_CLIENTS:-$work/clients}
    if [ ! -x "$clients/node_modules/.bin/codex" ]; then
        mkdir -p "$clients"
        (cd "$clients" && npm install --no-audit --no-fund --silent --prefix . \
            "@anthropic-ai/claude-code@$claude_version" "@openai/codex@$codex_version") ||
            skip "npm could not install the clients"
        node "$clients/node_modules/@anthropic-ai/claude-code/install.cjs" >/dev/null
    fi
    CTX_IN_NAMESPACE=1 WORK=$work CLIENTS=$clients unshare -rn sh "$here/clients.sh" "$ctx" "$@"
    exit
fi

ip link set lo up
bin=$CLIENTS/node_modules/.bin
made_up=11111111-1111-4111-8111-111111111111
mkdir -p "$WORK/home" "$WORK/cwd" "$WORK/requests" "$WORK/codex"
HOME=$WORK/home
export HOME
node "$here/clients/server.mjs" "$WORK/requests" &
server=$!
trap 'kill $server' EXIT
while [ ! -s "$WORK/requests/port" ]; do sleep 0.1; done
base=http://127.0.0.1:$(cat "$WORK/requests/port")
printf '{"OPENAI_API_KEY":"none"}' >"$WORK/codex/auth.json"

# The provider that a rollout names has to stay.
configure_codex() {
    provider=$(sed -n '1s/.*"model_provider": *"\([^"]*\)".*/\1/p' "$1")
    cat >"$WORK/codex/config.toml" <<TOML
model = "gpt-5.1-codex"
model_provider = "${provider:-openai}"
openai_base_url = "$base/v1"
[model_providers.loop]
name = "loop"
base_url = "$base/v1"
wire_api = "responses"
env_key = "LOOP_KEY"
TOML
}

# The model of the last answer: with another one the client leaves out all thinking.
model() {
    sed -n 's/.*"model": *"\(claude-[^"]*\)".*/\1/p' "$1" | tail -n 1
}

resume_claude_code() {
    id=$made_up
    projects=$WORK/claude/projects/$(printf %s "$WORK/cwd" | tr -c 'A-Za-z0-9' -)
    mkdir -p "$projects"
    cp "$1" "$projects/$id.jsonl"
    (cd "$WORK/cwd" && CLAUDE_CONFIG_DIR=$WORK/claude ANTHROPIC_BASE_URL=$base ANTHROPIC_API_KEY=none \
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_AUTOUPDATER=1 \
        timeout 120 "$bin/claude" -p --model "$(model "$1")" --resume $id "the next request")
}

resume_codex() {
    sessions=$WORK/codex/sessions/2026/01/01
    mkdir -p "$sessions"
    configure_codex "$1"
    id=$(sed -n '1s/.*"payload":{[^{]*"id": *"\([^"]*\)".*/\1/p' "$1")
    cp "$1" "$sessions/rollout-2026-01-01T00-00-00-$id.jsonl"
    (cd "$WORK/cwd" && CODEX_HOME=$WORK/codex LOOP_KEY=none OPENAI_API_KEY=none \
        timeout 120 "$bin/codex" exec --skip-git-repo-check resume $id "the next request" </dev/null)
}

# What is said, called and answered, and how much of it. Thinking is left out: it is sent as long as
# the model stays the same, and is encrypted for it.
content() {
    "$ctx" count --json "$1" | node -e '
        const { parts } = JSON.parse(require("fs").readFileSync(0));
        const of = (kind) => parts[kind] ?? { count: 0, tokens: 0 };
        console.log(...["text", "tool_call", "tool_result"].map((kind) => `${of(kind).count} ${kind} ${of(kind).tokens}`));'
}

# Resumes a log; the request stands in a file then.
ask() {
    rm -f "$WORK"/requests/*.json
    "resume_$(echo "$1" | tr - _)" "$2" </dev/null >"$WORK/said" 2>&1 || true
    [ "$(find "$WORK/requests" -name '*.json' | wc -l)" -eq 1 ]
}

# Whether a client finds a session in a log. Codex takes an id that is no UUID for a new session, and compacts
# a long one by itself before it goes on.
resumes() {
    case $1 in
    claude-code) ask "$1" "$2" ;;
    codex)
        sed -n 1p "$2" | grep -Eq '"id": *"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"' || return 1
        ask "$1" "$2" || [ -n "$(find "$WORK/requests" -name '*.json')" ]
        ;;
    *) false ;;
    esac
}

failed=0
check() {
    client=$1 name=$2 log=$3
    if ! ask "$client" "$log"; then
        cat "$WORK/said"
        echo "FAILED $client, $name: not one request"
        failed=1
        return
    fi
    set -- "$WORK"/requests/*.json
    node "$here/clients/compare.mjs" "$1" "$log" >"$WORK/sent.json"
    promised=$(content "$log") sent=$(content "$WORK/sent.json")
    if [ "$promised" = "$sent" ]; then
        echo "ok     $client, $name: $sent"
    else
        echo "FAILED $client, $name: promised $promised, sent $sent"
        failed=1
    fi
}

for client in ${CTX_CLIENT_TESTS-claude-code codex}; do
    session=$WORK/$client.jsonl
    node "$here/clients/sessions.mjs" $client $made_up "$WORK/cwd" >"$session"
    # With the size that it records, Codex would compact the session by itself before it goes on.
    [ $client = codex ] || check $client "as it was" "$session"
    for budget in 8k 3k; do
        for form in "" --append; do
            "$ctx" compact -q --budget $budget $form "$session" >"$WORK/edited.jsonl"
            check $client "compact --budget $budget $form" "$WORK/edited.jsonl"
            "$ctx" compact -q --budget 2500 --force $form "$WORK/edited.jsonl" >"$WORK/again.jsonl"
            check $client "the same, compacted again" "$WORK/again.jsonl"
        done
    done
    "$ctx" truncate -q --max-tokens 100 "$session" >"$WORK/edited.jsonl"
    check $client "truncate --max-tokens 100" "$WORK/edited.jsonl"
    "$ctx" truncate -q --budget 6k "$session" >"$WORK/edited.jsonl"
    check $client "truncate --budget 6k" "$WORK/edited.jsonl"
done
for session in "$@"; do
    client=$("$ctx" count --json "$session" | sed 's/.*"dialect":"\([^"]*\)".*/\1/')
    tokens=$("$ctx" count "$session" | awk '{ print $1 }')
    budget=$((tokens / 2))
    name=$(basename "$(dirname "$session")")/$(basename "$session")
    if ! resumes "$client" "$session"; then
        echo "skipped: $name: the client does not resume it as it was"
        continue
    fi
    for form in "" --append; do
        if "$ctx" compact -q --budget $budget $form "$session" >"$WORK/edited.jsonl"; then
            check "$client" "$name $form" "$WORK/edited.jsonl"
        fi
    done
done
exit $failed
