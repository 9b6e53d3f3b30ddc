package io.millrace.gateway.s3.gate;

import io.millrace.auth.policy.PolicyAction;
import io.millrace.gateway.s3.protocol.S3Operation;
import io.millrace.gateway.s3.protocol.S3Request;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Finds the actions that a request needs besides that of its operation, for what its headers set: tags, ACLs and locks
 * of what it stores.
 *
 * @see <a
 *     href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/using-with-s3-policy-actions.html#using-with-s3-policy-actions-related-to-objects">the
 *     actions of S3's operations</a>
 */
final class AdditionalActions {
    private static final String GRANT = "x-amz-grant-";
    private static final String ACL = "x-amz-acl";

    private static final Map<String, PolicyAction> OF_OBJECTS = Map.of(
            "x-amz-tagging",
            PolicyAction.PUT_OBJECT_TAGGING,
            ACL,
            PolicyAction.PUT_OBJECT_ACL,
            "x-amz-object-lock-mode",
            PolicyAction.PUT_OBJECT_RETENTION,
            "x-amz-object-lock-retain-until-date",
            PolicyAction.PUT_OBJECT_RETENTION,
            "x-amz-object-lock-legal-hold",
            PolicyAction.PUT_OBJECT_LEGAL_HOLD,
            "x-amz-bypass-governance-retention",
            PolicyAction.BYPASS_GOVERNANCE_RETENTION);

    private static final Map<String, PolicyAction> OF_BUCKETS = Map.of(
            ACL,
            PolicyAction.PUT_BUCKET_ACL,
            "x-amz-bucket-object-lock-enabled",
            PolicyAction.PUT_BUCKET_OBJECT_LOCK_CONFIGURATION,
            "x-amz-object-ownership",
            PolicyAction.PUT_BUCKET_OWNERSHIP_CONTROLS);

    private AdditionalActions() {}

    /** Returns the actions of a request for its operation; none for a read without attributes. */
    static Set<PolicyAction> of(S3Request request, S3Operation operation) {
        if (operation == S3Operation.GET_OBJECT_ATTRIBUTES) {
            return EnumSet.of(isOfVersion(request) ? PolicyAction.GET_OBJECT_VERSION : PolicyAction.GET_OBJECT);
        }
        if (request.isRead() || operation == S3Operation.PUT_OBJECT_ACL) {
            return Set.of();
        }
        // An empty canned ACL is none.
        Stream<String> headers = request.headers().names().stream()
                .filter(name -> !name.equals(ACL)
                        || !String.join(",", request.headers().all(name)).isBlank());
        Stream<String> parameters = request.query().stream()
                .filter(parameter -> !parameter.name().equalsIgnoreCase(ACL)
                        || !parameter.value().isBlank())
                .map(parameter -> parameter.name().toLowerCase(Locale.ROOT));
        return of(Stream.concat(headers, parameters), request.target().key().isPresent() ? OF_OBJECTS : OF_BUCKETS);
    }

    /** Returns the actions of a browser's form with these fields. */
    static Set<PolicyAction> ofForm(Set<String> fields) {
        return of(
                fields.stream().map(name -> name.equals("acl") || name.equals("tagging") ? "x-amz-" + name : name),
                OF_OBJECTS);
    }

    /** Returns whether a request is for a version of an object. */
    static boolean isOfVersion(S3Request request) {
        return !request.query().isEmpty()
                && request.target().parameter("versionId").isPresent();
    }

    private static Set<PolicyAction> of(Stream<String> names, Map<String, PolicyAction> actions) {
        EnumSet<PolicyAction> needed = EnumSet.noneOf(PolicyAction.class);
        names.map(name -> name.startsWith(GRANT) ? ACL : name)
                .filter(actions::containsKey)
                .forEach(name -> needed.add(actions.get(name)));
        return needed;
    }
}
