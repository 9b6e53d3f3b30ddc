package io.millrace.gateway.control;

import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Unwraps messages that Amazon SNS delivers in its JSON envelope.
 *
 * @see <a href="https://docs.aws.amazon.com/sns/latest/dg/http-notification-json.html">Parsing Amazon SNS message
 * formats</a>
 */
final class SnsEnvelope {
    private static final Set<String> OF_SUBSCRIPTIONS = Set.of("SubscriptionConfirmation", "UnsubscribeConfirmation");

    private SnsEnvelope() {}

    /**
     * Returns the message in the envelope, or {@code body} if there is no envelope.
     *
     * @throws ApiException (400) if the envelope has another type or its message is not JSON
     */
    static JsonNode unwrap(JsonNode body) {
        String type = body.path("Type").asString("");
        if (OF_SUBSCRIPTIONS.contains(type)) {
            throw ApiException.invalidField(
                    "Type",
                    ("%s is not understood: Millrace confirms no subscription, whatever takes the messages of the topic"
                                    + " has to")
                            .formatted(type));
        }
        return type.equals("Notification") ? message(body.path("Message")) : body;
    }

    private static JsonNode message(JsonNode message) {
        if (!message.isString()) {
            throw ApiException.invalidField("Message", "is to be a text, with the message of S3 in JSON");
        }
        try {
            return ApiJsonMapper.MAPPER.readTree(message.asString());
        } catch (JacksonException none) {
            throw ApiException.invalidField("Message", "is no JSON, as the messages of S3 are");
        }
    }
}
