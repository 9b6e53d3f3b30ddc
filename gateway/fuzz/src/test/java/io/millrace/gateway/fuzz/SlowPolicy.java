package io.millrace.gateway.fuzz;

import java.math.BigInteger;
import java.time.OffsetDateTime;
import java.util.Base64;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Holds a form against its policy, with all of it as a tree. */
final class SlowPolicy {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(JsonReadFeature.ALLOW_BACKSLASH_ESCAPING_ANY_CHARACTER)
            .build();
    private static final Set<String> EXEMPT =
            Set.of("x-amz-signature", "signature", "awsaccesskeyid", "file", "policy");

    private SlowPolicy() {}

    /**
     * @throws AssertionError if the policy does not allow the form, but for the length of its file
     */
    static void require(SlowForm form, String bucket) {
        JsonNode policy = policy(form);
        OffsetDateTime end = OffsetDateTime.parse(policy.get("expiration").asString());
        FuzzTarget.require(!FuzzedGateway.NOW.isAfter(end.toInstant()), "past its time", form);
        Set<String> named = new HashSet<>(EXEMPT);
        for (JsonNode condition : policy.get("conditions")) {
            if (condition.isObject()) {
                condition
                        .properties()
                        .forEach(one -> named.add(met(
                                form, bucket, "eq", one.getKey(), one.getValue().asString())));
            } else if (!isLength(condition)) {
                String field = condition.get(1).asString().substring(1);
                String test = condition.get(0).asString().toLowerCase(Locale.ROOT);
                named.add(met(form, bucket, test, field, condition.get(2).asString()));
            }
        }
        for (String field : form.fields().keySet()) {
            FuzzTarget.require(named.contains(field) || field.startsWith("x-ignore-"), "not named", field, form);
        }
        FuzzTarget.require(named.contains("bucket") && named.contains("key"), "for any bucket or key", form);
    }

    /**
     * @throws AssertionError if the file is longer or shorter than the policy allows
     */
    static void requireLength(SlowForm form) {
        BigInteger length = BigInteger.valueOf(form.file().length());
        for (JsonNode condition : policy(form).get("conditions")) {
            if (isLength(condition)) {
                boolean within = length.compareTo(
                                        new BigInteger(condition.get(1).asString()))
                                >= 0
                        && length.compareTo(new BigInteger(condition.get(2).asString())) <= 0;
                FuzzTarget.require(within, "another length", condition, form);
            }
        }
    }

    private static JsonNode policy(SlowForm form) {
        return JSON.readTree(Base64.getDecoder()
                .decode(form.fields().getOrDefault("policy", "").strip()));
    }

    private static boolean isLength(JsonNode condition) {
        return condition.isArray() && condition.get(0).asString().equalsIgnoreCase("content-length-range");
    }

    /** The field, by its name in lower case. */
    private static String met(SlowForm form, String bucket, String test, String name, String operand) {
        String field = name.toLowerCase(Locale.ROOT);
        String value = value(form, bucket, field);
        boolean holds;
        if (test.equals("eq")) {
            holds = value.equals(operand);
        } else if (field.equals("content-type")) {
            holds = true;
            for (String one : value.split(",", -1)) {
                holds &= one.strip().startsWith(operand);
            }
        } else {
            holds = test.equals("starts-with") && value.startsWith(operand);
        }
        FuzzTarget.require(holds, "not met", test, field, operand, form);
        return field;
    }

    private static String value(SlowForm form, String bucket, String field) {
        if (field.equals("bucket")) {
            return bucket;
        }
        if (field.equals("key")) {
            return form.key();
        }
        String bytes = form.fields().get(field);
        FuzzTarget.require(bytes != null, "no field", field, form);
        return Percent.text(String.valueOf(bytes));
    }
}
