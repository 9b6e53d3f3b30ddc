package io.millrace.auth.signature;

import io.millrace.auth.RequestVerificationException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Parsed POST policy: its expiration and the conditions that a browser upload form must meet.
 *
 * @param expiration last moment of validity
 * @param conditions on the form's fields
 * @param length range of the file's length
 */
record PostPolicy(Instant expiration, List<FieldCondition> conditions, ContentLengthRange length) {
    private static final String BUCKET = "bucket";
    private static final String IGNORED = "x-ignore-";

    /** Fields that no condition needs to name, because they derive from the policy or do not describe the object. */
    private static final Set<String> EXEMPT =
            Set.of("x-amz-signature", "signature", "awsaccesskeyid", "file", "policy");

    PostPolicy {
        conditions = List.copyOf(conditions);
    }

    /**
     * Requires that the form meets all conditions and has no field without a condition.
     *
     * @param fields by name in lower case
     * @param bucket the request's bucket, whatever the form's fields say
     */
    void require(Map<String, String> fields, String bucket, Instant now) throws RequestVerificationException {
        if (now.isAfter(expiration)) {
            throw PolicyErrors.denied("Policy expired.");
        }
        if (!fields.getOrDefault(BUCKET, bucket).equals(bucket)) {
            throw PolicyErrors.denied("the field bucket is not the bucket of the request.");
        }
        requireNamed(fields);
        for (FieldCondition condition : conditions) {
            String value = condition.field().equals(BUCKET) ? bucket : fields.get(condition.field());
            if (value == null || !condition.isMetBy(value)) {
                throw PolicyErrors.failed(condition.text());
            }
        }
    }

    /** Requires that a condition names each field: the signer did not intend other fields. */
    private void requireNamed(Map<String, String> fields) throws RequestVerificationException {
        Set<String> unnamed = new TreeSet<>(fields.keySet());
        unnamed.removeAll(EXEMPT);
        unnamed.removeIf(name -> name.startsWith(IGNORED));
        unnamed.add(BUCKET);
        conditions.forEach(condition -> unnamed.remove(condition.field()));
        if (!unnamed.isEmpty()) {
            throw PolicyErrors.denied("Extra input fields: " + String.join(", ", unnamed));
        }
    }
}
