#!/bin/sh
# Checks the model summarizer against a server that we did not write: the litellm proxy with mock
# answers, by its OpenAI, Responses and Anthropic routes. Needs Python with pip and, the first time,
# the network; says so and succeeds where they are missing.
#
#     CTX=target/debug/ctx LITELLM_VENV=target/litellm tests/litellm.sh
set -eu

ctx=${CTX:-target/debug/ctx}
venv=${LITELLM_VENV:-target/litellm}
port=${LITELLM_PORT:-4137}

skip() {
    echo "litellm.sh: skipped: $1"
    exit 0
}

test -x "$ctx" || { echo "litellm.sh: no $ctx: build it first" >&2; exit 2; }
command -v python3 >/dev/null || skip "no python3"
if ! test -x "$venv/bin/litellm"; then
    python3 -m venv "$venv" 2>/dev/null || skip "python3 has no venv"
    "$venv/bin/pip" install --quiet 'litellm[proxy]' 2>/dev/null || skip "pip could not install litellm"
fi

work=$(mktemp -d)
server=
trap 'test -z "$server" || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# The proxy refuses to start without a master key that is hard to guess.
key="sk-$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')"
(umask 077; echo "$key" >"$work/key")
cat >"$work/config.yaml" <<'YAML'
model_list:
  - model_name: good
    litellm_params: &mock
      model: openai/mock
      api_key: none
      mock_response: "<analysis>hm</analysis><summary>the summary of the mock</summary>"
  - model_name: busy
    litellm_params: { <<: *mock, mock_response: "litellm.RateLimitError" }
  - model_name: full
    litellm_params: { <<: *mock, mock_response: "litellm.ContextWindowExceededError" }
  - model_name: blank
    litellm_params: { <<: *mock, mock_response: " " }
YAML
python3 - >"$work/chat.json" <<'PYTHON'
import json
roles = ["user", "assistant"]
words = "the parser in src/parse.rs loses the last line of a torn file "
print(json.dumps([{"role": roles[i % 2], "content": f"{i}: {words * 20}"} for i in range(60)]))
PYTHON

LITELLM_MASTER_KEY=$key "$venv/bin/litellm" --config "$work/config.yaml" --host 127.0.0.1 \
    --port "$port" >"$work/log" 2>&1 &
server=$!
tries=0
until python3 -c "import urllib.request as u; u.urlopen('http://127.0.0.1:$port/health/liveliness')" 2>/dev/null; do
    tries=$((tries + 1))
    kill -0 "$server" 2>/dev/null || { cat "$work/log" >&2; exit 2; }
    test "$tries" -lt 60 || { echo "litellm.sh: the proxy did not start" >&2; exit 2; }
    sleep 1
done

failed=0
# expect STATUS WORDS SUMMARIZER BASE-URL MODEL: runs compact, looks for WORDS in what it printed.
expect() {
    status=0
    "$ctx" compact --summarizer "$3" --base-url "$4" --summary-model "$5" --api-key-file "$work/key" \
        --budget 8k --on-failure fail --retries 1 "$work/chat.json" >"$work/out" 2>&1 || status=$?
    if test "$status" -eq "$1" && grep -q "$2" "$work/out" && ! grep -q "$key" "$work/out"; then
        echo "ok: $3 $5"
    else
        echo "not ok: $3 $5: status $status, expected $1 and \"$2\"" >&2
        head -c 2000 "$work/out" >&2
        failed=1
    fi
}

api=http://127.0.0.1:$port
for model in good busy full blank nosuch; do
    case $model in
        good) status=0 words="the summary of the mock" ;;
        busy) status=2 words="answered 429" ;;
        full) status=2 words="too long for the model" ;;
        blank) status=2 words="answer is empty" ;;
        *) status=2 words="Invalid model name" ;;
    esac
    expect "$status" "$words" openai "$api/v1" "$model"
    expect "$status" "$words" anthropic "$api" "$model"
done
expect 0 "the summary of the mock" responses "$api/v1" good
exit "$failed"
