package io.millrace.auth.post;

import io.millrace.auth.AuthException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a form may ask.
 *
 * @param expiration the last moment it is good for
 * @param conditions on the form's fields
 * @param length of the file
 */
record PostPolicy(Instant expiration, List<FieldCondition> conditions, ContentLengthRange length) {
    private static final String BUCKET = "bucket";
    private static final String IGNORED = "x-ignore-";

    /** What a policy cannot name, since it comes of the policy or is no property of the object. */
    private static final Set<String> EXEMPT =
            Set.of("x-amz-signature", "signature", "awsaccesskeyid", "file", "policy");

    PostPolicy {
        conditions = List.copyOf(conditions);
    }

    /**
     * Refuses a form that this does not allow.
     *
     * @param fields by name in lower case
     * @param bucket where the form writes, whatever its fields say
     */
    void require(Map<String, String> fields, String bucket, Instant now) throws AuthException {
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

    /** The other way round: what no condition names was not in the mind of whoever signed. */
    private void requireNamed(Map<String, String> fields) throws AuthException {
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
