package io.millrace.gateway.control;

import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * What Amazon SNS puts around a message where it does not deliver it raw.
 *
 * @see <a href="https://docs.aws.amazon.com/sns/latest/dg/http-notification-json.html">Parsing Amazon SNS message formats</a>
 */
final class SnsEnvelope {
    private static final Set<String> OF_SUBSCRIPTIONS = Set.of("SubscriptionConfirmation", "UnsubscribeConfirmation");

    private SnsEnvelope() {}

    /**
     * What is in it, bounded as the body is that it came in; the same if there is none around it.
     *
     * @throws ApiException if it is none that a message of S3 comes in
     */
    static JsonNode open(JsonNode body) {
        String type = body.path("Type").asString("");
        if (OF_SUBSCRIPTIONS.contains(type)) {
            throw ApiException.field(
                    "Type",
                    "%s is not understood: Millrace confirms no subscription, whatever takes the messages of the topic has to"
                            .formatted(type));
        }
        return type.equals("Notification") ? message(body.path("Message")) : body;
    }

    private static JsonNode message(JsonNode message) {
        if (!message.isString()) {
            throw ApiException.field("Message", "is to be a text, with the message of S3 in JSON");
        }
        try {
            return ApiJson.MAPPER.readTree(message.asString());
        } catch (JacksonException none) {
            throw ApiException.field("Message", "is no JSON, as the messages of S3 are");
        }
    }
}
