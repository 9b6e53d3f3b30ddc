package io.millrace.backend.http;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import java.net.URI;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** The fields of a successful response of a token endpoint. */
public final class TokenResponse {
    private static final JsonFactory JSON = new JsonFactory();

    private final Map<String, String> fields;

    private TokenResponse(Map<String, String> fields) {
        this.fields = fields;
    }

    /**
     * Reads a response.
     *
     * @throws BackendException if it is an error; the message has the endpoint's own words
     */
    public static TokenResponse of(URI endpoint, int status, byte[] body) {
        TokenResponse response = new TokenResponse(fields(body));
        if (status == 200) {
            return response;
        }
        boolean isTransient = status >= 500 || status == 429 || status == 408;
        throw new BackendException(
                isTransient ? FailureKind.UNAVAILABLE : FailureKind.CREDENTIALS_REJECTED,
                "%s responds with status %d%s".formatted(endpoint.getHost(), status, response.reason()));
    }

    /** Returns a field as text; empty if it is missing, null or no single value. */
    public String field(String name) {
        return fields.getOrDefault(name, "");
    }

    /**
     * Returns the token of {@code access_token}. It expires {@code expires_in} seconds from now, else at {@code
     * expires_on} in seconds since 1970.
     *
     * @throws BackendException if there is none, or it has expired
     */
    public AccessToken token(Instant now) {
        try {
            Instant expiry = field("expires_in").isEmpty()
                    ? Instant.ofEpochSecond(Long.parseLong(field("expires_on")))
                    : now.plusSeconds(Long.parseLong(field("expires_in")));
            if (!expiry.isAfter(now)) {
                throw new BackendException(
                        FailureKind.INVALID_RESPONSE,
                        "the access token in the response has expired at %s, by the clock of this machine"
                                .formatted(expiry));
            }
            return new AccessToken(field("access_token"), expiry);
        } catch (IllegalArgumentException | DateTimeException | ArithmeticException invalid) {
            // Refused below, without a cause, whose message may quote the response.
        }
        throw new BackendException(FailureKind.INVALID_RESPONSE, "no valid access token in the response");
    }

    /** Returns what an error says: of OAuth, two fields; of Google's APIs, an object. */
    private String reason() {
        String code = field("error") + field("error.status");
        String text = field("error_description") + field("error.message");
        String words = (code + " " + text.lines().findFirst().orElse("")).strip();
        return words.isEmpty() ? "" : ": " + PrintableText.of(words);
    }

    /**
     * Returns the fields of the outermost object, and of the objects in it with their names before; empty if it is no
     * JSON.
     */
    private static Map<String, String> fields(byte[] body) {
        Map<String, String> fields = new HashMap<>();
        try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), body)) {
            if (json.nextToken() == JsonToken.START_OBJECT) {
                read(json, "", fields);
            }
            return fields;
        } catch (JacksonException invalid) {
            return Map.of();
        }
    }

    private static void read(JsonParser json, String parent, Map<String, String> fields) {
        while (json.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = parent + json.currentName();
            JsonToken value = json.nextToken();
            if (value == JsonToken.START_OBJECT && parent.isEmpty()) {
                read(json, name + ".", fields);
            } else if (value.isScalarValue() && value != JsonToken.VALUE_NULL) {
                fields.put(name, json.getValueAsString());
            } else {
                json.skipChildren();
            }
        }
    }
}
