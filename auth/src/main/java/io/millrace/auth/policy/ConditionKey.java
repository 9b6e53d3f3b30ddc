package io.millrace.auth.policy;

import io.millrace.auth.policy.ConditionOperator.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A property of a request that conditions of policies compare, by the name that AWS has for it. Each has one value at
 * most.
 *
 * @see <a
 *     href="https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html">AWS's keys</a>
 */
enum ConditionKey {
    /** The address of the peer. */
    SOURCE_IP("aws:SourceIp", Kind.ADDRESS),
    SECURE_TRANSPORT("aws:SecureTransport", Kind.BOOL),
    CURRENT_TIME("aws:CurrentTime", Kind.DATE),
    /** The name of the identity; absent from anonymous requests. */
    USER_NAME("aws:username", Kind.STRING),
    /** A tag of the session; the name of the tag follows. */
    PRINCIPAL_TAG("aws:PrincipalTag/", Kind.STRING),
    PREFIX("s3:prefix", Kind.STRING),
    DELIMITER("s3:delimiter", Kind.STRING),
    MAX_KEYS("s3:max-keys", Kind.NUMERIC),
    VERSION_ID("s3:VersionId", Kind.STRING);

    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");

    private final String wireName;
    private final Kind kind;

    ConditionKey(String wireName, Kind kind) {
        this.wireName = wireName;
        this.kind = kind;
    }

    /** Returns the key with this name, in any case. */
    static Optional<ConditionKey> named(String name) {
        for (ConditionKey key : values()) {
            if (key == PRINCIPAL_TAG ? !key.tag(name).isEmpty() : key.wireName.equalsIgnoreCase(name)) {
                return Optional.of(key);
            }
        }
        return Optional.empty();
    }

    /** Returns the name of the tag in the name of a key; empty if this key has no tags. */
    String tag(String name) {
        boolean isTag = this == PRINCIPAL_TAG && name.regionMatches(true, 0, wireName, 0, wireName.length());
        return isTag ? name.substring(wireName.length()) : "";
    }

    static List<String> names() {
        List<String> names = new ArrayList<>();
        for (ConditionKey key : values()) {
            names.add(key == PRINCIPAL_TAG ? key.wireName + "NAME" : key.wireName);
        }
        return names;
    }

    String wireName() {
        return wireName;
    }

    Kind kind() {
        return kind;
    }

    /** Returns whether the value is a parameter of the request. */
    boolean isParameter() {
        return wireName.startsWith("s3:");
    }

    /**
     * Returns the value in a request, of the Java type of {@link #kind}; null if it is absent.
     *
     * @param tag name of the tag, for a key that has such
     */
    @Nullable Object find(EvaluationContext request, String tag) {
        return switch (this) {
            case SOURCE_IP -> request.address();
            case SECURE_TRANSPORT -> request.isSecure();
            case CURRENT_TIME -> request.now();
            case USER_NAME -> request.caller().userName().orElse(null);
            case PRINCIPAL_TAG -> request.caller().tags().get(tag);
            case PREFIX -> request.parameters().find("prefix").orElse(null);
            case DELIMITER -> request.parameters().find("delimiter").orElse(null);
            case MAX_KEYS ->
                request.parameters()
                        .find("max-keys")
                        .filter(text -> NUMBER.matcher(text).matches())
                        .map(Long::valueOf)
                        .orElse(null);
            case VERSION_ID -> request.parameters().find("versionId").orElse(null);
        };
    }
}
