package io.millrace.gateway.s3.sts;

import io.millrace.auth.policy.IdentityPolicy;
import io.millrace.auth.policy.Principal;
import io.millrace.auth.session.RoleSettings;
import io.millrace.config.problem.InvalidValueException;
import io.millrace.gateway.s3.sts.StsException.Code;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Parameters of an STS operation, from the form in the request's body. */
record StsParameters(Map<String, String> values) {
    private static final int MOST = 32;
    private static final String ROLE = "arn:aws:iam::" + Principal.ACCOUNT + ":role/";
    private static final Pattern SESSION_NAME = Pattern.compile("[A-Za-z0-9_+=,.@-]{2,64}");
    private static final Pattern SECONDS = Pattern.compile("[0-9]{1,6}");
    private static final Duration USUAL = Duration.ofHours(1);

    /** The limit of AWS. */
    private static final int LONGEST_POLICY = 2048;

    /** Parses a form in which each name is stated once. */
    static StsParameters parse(byte[] form) {
        Map<String, String> values = new HashMap<>();
        for (String field : new String(form, StandardCharsets.UTF_8).split("&", MOST + 1)) {
            int equals = field.indexOf('=');
            String name = decoded(equals < 0 ? field : field.substring(0, equals));
            String value = equals < 0 ? "" : decoded(field.substring(equals + 1));
            if (values.size() == MOST || values.put(name, value) != null) {
                throw new StsException(Code.VALIDATION_ERROR, "A parameter is stated twice, or there are too many.");
            }
        }
        return new StsParameters(values);
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new StsException(Code.VALIDATION_ERROR, "The body is not a form.");
        }
    }

    Optional<String> find(String name) {
        return Optional.ofNullable(values.get(name));
    }

    String required(String name) {
        return find(name)
                .filter(value -> !value.isEmpty())
                .orElseThrow(() -> new StsException(Code.VALIDATION_ERROR, name + " is missing."));
    }

    /** Returns the name in the ARN of a role; empty if it is the ARN of nothing here. */
    String roleName() {
        String arn = required("RoleArn");
        return arn.startsWith(ROLE) ? arn.substring(ROLE.length()) : "";
    }

    String sessionName() {
        String name = required("RoleSessionName");
        if (!SESSION_NAME.matcher(name).matches()) {
            throw new StsException(
                    Code.VALIDATION_ERROR, "RoleSessionName must be 2 to 64 letters, digits or _ + = , . @ -");
        }
        return name;
    }

    /** Returns how long the session is to last, an hour at least if nothing is stated and {@code most} allows it. */
    Duration duration(Duration most) {
        String seconds = find("DurationSeconds").orElse("");
        if (seconds.isEmpty()) {
            return USUAL.compareTo(most) < 0 ? USUAL : most;
        }
        Duration wanted =
                SECONDS.matcher(seconds).matches() ? Duration.ofSeconds(Long.parseLong(seconds)) : Duration.ZERO;
        if (wanted.compareTo(RoleSettings.SHORTEST) < 0 || wanted.compareTo(most) > 0) {
            throw new StsException(
                    Code.VALIDATION_ERROR,
                    "DurationSeconds must be %d to %d here."
                            .formatted(RoleSettings.SHORTEST.toSeconds(), most.toSeconds()));
        }
        return wanted;
    }

    /** Returns the session policy, which can be evaluated; empty if there is none. */
    String sessionPolicy() {
        String policy = find("Policy").orElse("");
        if (policy.length() > LONGEST_POLICY) {
            throw new StsException(
                    Code.VALIDATION_ERROR, "Policy must have at most %d characters.".formatted(LONGEST_POLICY));
        }
        if (!policy.isEmpty()) {
            try {
                IdentityPolicy.ofSession(policy);
            } catch (InvalidValueException e) {
                throw new StsException(
                        Code.MALFORMED_POLICY_DOCUMENT, "Policy: %s; %s.".formatted(e.description(), e.remedy()));
            }
        }
        return policy;
    }

    /** Refuses other parameters, because one that is ignored, such as a session policy, might have narrowed rights. */
    void requireOnly(Set<String> known) {
        if (!known.containsAll(values.keySet())) {
            throw new StsException(
                    Code.VALIDATION_ERROR, "Only these parameters are supported: " + String.join(", ", known) + '.');
        }
    }
}
