package io.millrace.gateway.configuration;

import io.millrace.gateway.bucket.BucketSettings.AccessRules;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.http.S3Operation;
import io.millrace.gateway.http.XmlElement;
import io.millrace.gateway.http.XmlParser;
import java.util.Optional;

/**
 * Refuses to store rules of access at a backend unless the bucket's entry says to: they would bind the backend's own callers, and
 * whoever stores one through this gateway believes that it binds the gateway's.
 */
final class AccessRuleGuard {
    private AccessRuleGuard() {}

    /**
     * @throws S3Exception AccessControlListNotSupported for rights of others, NotImplemented for other rules
     */
    static void check(S3Operation operation, BucketView bucket, byte[] document) {
        if (bucket.accessRules() == AccessRules.FORWARD) {
            return;
        }
        switch (operation) {
            case PUT_BUCKET_ACL, PUT_OBJECT_ACL -> refuseRightsOfOthers(document);
            case PUT_BUCKET_POLICY, DELETE_BUCKET_POLICY, PUT_PUBLIC_ACCESS_BLOCK, DELETE_PUBLIC_ACCESS_BLOCK ->
                throw new S3Exception(
                        S3ErrorCode.NOT_IMPLEMENTED,
                        "Rules of access stored at the backend do not bind this gateway's callers; its own are in its file.");
            default -> {}
        }
    }

    /** A list that only gives its owner what is his, as s3cmd sends it behind each copy, changes nothing. */
    private static void refuseRightsOfOthers(byte[] document) {
        if (document.length == 0) {
            return; // a canned ACL in a field, which was looked at there
        }
        XmlElement acl = XmlParser.parse(document, "AccessControlPolicy");
        Optional<String> owner = acl.first("Owner").flatMap(element -> element.textOf("ID"));
        boolean others = acl.all("AccessControlList").stream()
                .flatMap(list -> list.all("Grant").stream())
                .flatMap(grant -> grant.all("Grantee").stream())
                .anyMatch(grantee -> owner.isEmpty() || !grantee.textOf("ID").equals(owner));
        if (others) {
            throw new S3Exception(S3ErrorCode.ACL_NOT_SUPPORTED);
        }
    }
}
