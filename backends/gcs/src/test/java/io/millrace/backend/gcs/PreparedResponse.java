package io.millrace.backend.gcs;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A response of a {@link DocumentedGcsServer}; {@code announced} is its Content-Length, which only a test makes differ from the body. */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record PreparedResponse(int status, List<Map.Entry<String, String>> headers, byte[] body, long announced) {
    static PreparedResponse json(int status, JsonNode document) {
        return of(status, JsonMapper.shared().writeValueAsBytes(document)).with("Content-Type", "application/json");
    }

    static PreparedResponse of(int status, byte[] body) {
        return new PreparedResponse(status, List.of(), body, body.length);
    }

    static PreparedResponse error(int status, String reason, String message) {
        String text = JsonMapper.shared().writeValueAsString(message);
        return of(status, """
                        {"error":{"code":%d,"message":%s,"errors":[{"message":%s,"domain":"global","reason":"%s"}]}}""".formatted(status, text, text, reason).getBytes(StandardCharsets.UTF_8))
                .with("Content-Type", "application/json; charset=UTF-8");
    }

    static PreparedResponse xmlError(int status, String code, String message) {
        return of(
                        status,
                        "<?xml version='1.0' encoding='UTF-8'?><Error><Code>%s</Code><Message>%s</Message></Error>"
                                .formatted(code, message)
                                .getBytes(StandardCharsets.UTF_8))
                .with("Content-Type", "application/xml; charset=UTF-8");
    }

    PreparedResponse with(String name, String value) {
        List<Map.Entry<String, String>> more = new ArrayList<>(headers);
        more.add(Map.entry(name, value));
        return new PreparedResponse(status, more, body, announced);
    }

    PreparedResponse without(String name) {
        List<Map.Entry<String, String>> rest = headers.stream()
                .filter(header -> !header.getKey().equalsIgnoreCase(name))
                .toList();
        return new PreparedResponse(status, rest, body, announced);
    }

    PreparedResponse withBody(byte[] other) {
        return new PreparedResponse(status, headers, other, other.length);
    }

    /** Sends fewer bytes than it announces, and closes the connection. */
    PreparedResponse cutTo(int length) {
        return new PreparedResponse(status, headers, Arrays.copyOf(body, length), announced);
    }
}
