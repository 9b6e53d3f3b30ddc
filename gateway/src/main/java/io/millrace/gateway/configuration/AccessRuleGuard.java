package io.millrace.gateway.configuration;

import io.millrace.gateway.bucket.BucketSettings.AccessRules;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.http.S3Operation;
import io.millrace.gateway.http.XmlElement;
import io.millrace.gateway.http.XmlParser;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import reactor.core.publisher.Mono;

/**
 * Refuses to store rules of access at a backend unless the bucket's entry says to: they would bind the backend's own callers, and
 * whoever stores one through this gateway believes that it binds the gateway's.
 */
final class AccessRuleGuard {
    private static final String ACL = "AccessControlPolicy";

    /** What says who an owner is, and no more. */
    private static final Set<String> OF_AN_OWNER = Set.of("ID", "DisplayName");

    private AccessRuleGuard() {}

    /**
     * Completes if the document may be stored.
     *
     * @param rightsNow the backend's own list of rights; asked for only where it matters who the owner is
     * @throws S3Exception AccessControlListNotSupported for rights of others, NotImplemented for other rules
     */
    static Mono<Void> check(S3Operation operation, BucketView bucket, byte[] document, Mono<ByteBuffer> rightsNow) {
        if (bucket.accessRules() == AccessRules.FORWARD) {
            return Mono.empty();
        }
        return switch (operation) {
            case PUT_BUCKET_ACL, PUT_OBJECT_ACL -> refuseRightsOfOthers(document, rightsNow);
            case PUT_BUCKET_POLICY, DELETE_BUCKET_POLICY, PUT_PUBLIC_ACCESS_BLOCK, DELETE_PUBLIC_ACCESS_BLOCK ->
                throw new S3Exception(
                        S3ErrorCode.NOT_IMPLEMENTED,
                        "Rules of access stored at the backend do not bind this gateway's callers; its own are in its file.");
            default -> Mono.empty();
        };
    }

    /**
     * A list that only gives its owner what is his, as s3cmd sends it behind each copy, changes nothing. Who that is, the backend
     * says: the list could name another.
     */
    private static Mono<Void> refuseRightsOfOthers(byte[] document, Mono<ByteBuffer> rightsNow) {
        if (document.length == 0) {
            return Mono.empty(); // a canned ACL in a field, which was looked at there
        }
        List<XmlElement> grantees = XmlParser.parse(document, ACL).all("AccessControlList").stream()
                .flatMap(list -> list.all("Grant").stream())
                .flatMap(grant -> grant.all("Grantee").stream())
                .toList();
        return rightsNow
                .map(AccessRuleGuard::owner)
                .filter(owner -> grantees.stream().allMatch(grantee -> isOnly(owner, grantee)))
                .switchIfEmpty(Mono.error(() -> new S3Exception(S3ErrorCode.ACL_NOT_SUPPORTED)))
                .then();
    }

    private static Optional<String> owner(ByteBuffer rights) {
        byte[] bytes = new byte[rights.remaining()];
        rights.duplicate().get(bytes);
        return XmlParser.parse(bytes, ACL).first("Owner").flatMap(owner -> owner.textOf("ID"));
    }

    /** An element that says more could name a group, or somebody by an address. */
    private static boolean isOnly(Optional<String> owner, XmlElement grantee) {
        return owner.isPresent()
                && grantee.all("ID").size() == 1
                && grantee.textOf("ID").equals(owner)
                && grantee.children().stream().allMatch(child -> OF_AN_OWNER.contains(child.name()));
    }
}
