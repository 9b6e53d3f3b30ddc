package io.millrace.backend.gcs;

import io.millrace.backend.testkit.server.PlannedResponse;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Responses as Google Cloud Storage writes them: documents, and errors of its JSON and its XML API. */
final class GcsResponses {
    private GcsResponses() {}

    static PlannedResponse json(int status, JsonNode document) {
        return PlannedResponse.json(status, JsonMapper.shared().writeValueAsString(document));
    }

    static PlannedResponse error(int status, String reason, String message) {
        String text = JsonMapper.shared().writeValueAsString(message);
        return PlannedResponse.text(status, """
                        {"error":{"code":%d,"message":%s,"errors":[{"message":%s,"domain":"global","reason":"%s"}]}}""".formatted(status, text, text, reason))
                .with("Content-Type", "application/json; charset=UTF-8");
    }

    static PlannedResponse xmlError(int status, String code, String message) {
        return PlannedResponse.text(
                        status,
                        "<?xml version='1.0' encoding='UTF-8'?><Error><Code>%s</Code><Message>%s</Message></Error>"
                                .formatted(code, message))
                .with("Content-Type", "application/xml; charset=UTF-8");
    }
}
