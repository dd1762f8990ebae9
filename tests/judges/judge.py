"""Judges conversations with what the providers publish themselves: the request validator of
mistral-common, and the request types of the openai and anthropic packages.

Reads a line of JSON for each conversation, `{"provider", "messages", "is_open"}`, and answers a line:
`ok`, or why not. A conversation that is open ends with the assistant, or with calls in flight.
"""

import json
import sys

from anthropic.types import MessageParam
from mistral_common.exceptions import MistralCommonException
from mistral_common.protocol.instruct.request import ChatCompletionRequest
from mistral_common.protocol.instruct.validator import ValidationMode, get_validator
from mistral_common.tokens.tokenizers.base import TokenizerVersion
from openai.types.chat import ChatCompletionMessageParam
from openai.types.responses import ResponseInputItemParam
from pydantic import TypeAdapter, ValidationError

TYPES = {
    "openai": TypeAdapter(list[ChatCompletionMessageParam]),
    "responses": TypeAdapter(list[ResponseInputItemParam]),
    "anthropic": TypeAdapter(list[MessageParam]),
}
# The version with ids of nine letters and digits, calls beside content, and pairs by their ids.
VALIDATORS = {
    is_open: get_validator(TokenizerVersion.v11, mode)
    for is_open, mode in [(True, ValidationMode.agnostic), (False, ValidationMode.serving)]
}


def exhaust(value):
    """Iterables are validated item by item, when somebody asks for the items."""
    if isinstance(value, dict):
        return {key: exhaust(member) for key, member in value.items()}
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        return value
    return [exhaust(item) for item in value]


def judge(case):
    messages = case["messages"]
    if case["provider"] == "mistral":
        request = ChatCompletionRequest(messages=messages, model="m")
        VALIDATORS[case["is_open"]].validate_request(request)
    else:
        exhaust(TYPES[case["provider"]].validate_python(messages))


for line in sys.stdin:
    try:
        judge(json.loads(line))
        print("ok")
    except (MistralCommonException, ValidationError) as error:
        print(" ".join(str(error).split()))
