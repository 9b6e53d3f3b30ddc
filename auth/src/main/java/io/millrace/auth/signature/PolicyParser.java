package io.millrace.auth.signature;

import io.millrace.auth.RequestVerificationException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonReadFeature;

/**
 * Parses the POST policy of a browser upload form. Its size is bounded, and anything unknown in it is an error, because
 * it might be a limit.
 *
 * <p>For one policy and one thread.
 */
final class PolicyParser {
    private static final int LONGEST = 20 << 10;
    private static final int DEEPEST = 20;
    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxDocumentLength(LONGEST)
                    .maxNestingDepth(DEEPEST)
                    .build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            // S3's documentation writes \$ for a dollar sign, which is not valid JSON.
            .enable(JsonReadFeature.ALLOW_BACKSLASH_ESCAPING_ANY_CHARACTER)
            .build();

    private final List<FieldCondition> conditions = new ArrayList<>();
    private ContentLengthRange length = ContentLengthRange.ANY;
    private @Nullable Instant expiration;
    private boolean hasConditions;

    private PolicyParser() {}

    /** Parses {@code base64}, the policy as sent, so that the parsed policy is the signed one. */
    static PostPolicy parse(String base64) throws RequestVerificationException {
        byte[] document = decode(base64.strip());
        try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), document)) {
            return new PolicyParser().policy(json, document);
        } catch (JacksonException e) {
            throw PolicyErrors.json();
        }
    }

    private static byte[] decode(String base64) throws RequestVerificationException {
        if (base64.isEmpty()) {
            throw PolicyErrors.because("Expecting '{' but found End-of-Input");
        }
        if (base64.length() / 4 > LONGEST / 3) {
            throw PolicyErrors.because("it is longer than 20 KiB.");
        }
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw PolicyErrors.because("invalid Base64 encoding.");
        }
    }

    private PostPolicy policy(JsonParser json, byte[] document) throws RequestVerificationException {
        if (json.nextToken() != JsonToken.START_OBJECT) {
            throw PolicyErrors.json();
        }
        while (json.nextToken() != JsonToken.END_OBJECT) {
            String name = json.currentName();
            json.nextToken();
            switch (name) {
                case "expiration" -> expiration = expiration(json);
                case "conditions" -> conditions(json, document);
                default -> throw PolicyErrors.because("Unexpected: \"" + name + '"');
            }
        }
        if (json.nextToken() != null) {
            throw PolicyErrors.json();
        }
        if (expiration == null) {
            throw PolicyErrors.because("Policy missing expiration.");
        }
        if (!hasConditions) {
            throw PolicyErrors.because("Policy missing conditions.");
        }
        return new PostPolicy(expiration, conditions, length);
    }

    private static Instant expiration(JsonParser json) throws RequestVerificationException {
        if (json.currentToken() != JsonToken.VALUE_STRING) {
            throw PolicyErrors.json();
        }
        String text = json.getString();
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            throw PolicyErrors.because("Invalid 'expiration' value: '" + text + '\'');
        }
    }

    private void conditions(JsonParser json, byte[] document) throws RequestVerificationException {
        if (json.currentToken() != JsonToken.START_ARRAY) {
            throw PolicyErrors.because("Invalid 'conditions' value: must be a List.");
        }
        hasConditions = true;
        while (json.nextToken() != JsonToken.END_ARRAY) {
            RawPolicyCondition condition = RawPolicyCondition.read(json, document);
            if (condition.isLengthRange()) {
                length = length.and(condition.lengthRange());
            } else {
                conditions.add(condition.onField());
            }
        }
    }
}
