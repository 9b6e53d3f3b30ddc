package io.millrace.gateway.s3.configuration;

import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.kit.XmlElement;
import io.millrace.kit.XmlParser;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import reactor.core.publisher.Mono;

/** Checks that an access control list grants nothing to others than its owner. */
final class OwnerOnlyAclCheck {
    private static final String ACL = "AccessControlPolicy";
    private static final String TYPE = "Type";

    /** The elements that only identify the owner. MinIO repeats the type of a grantee as an element. */
    private static final Set<String> OF_AN_OWNER = Set.of("ID", "DisplayName", TYPE);

    private OwnerOnlyAclCheck() {}

    /**
     * Completes if the list grants nothing to others. The owner comes from the backend, because the list could name
     * another.
     *
     * @param backendAcl the backend's current ACL of the bucket or object
     * @throws S3Exception AccessControlListNotSupported for grants to others; MalformedXML
     */
    static Mono<Void> require(byte[] document, Mono<ByteBuffer> backendAcl) {
        List<XmlElement> grantees = grantees(XmlParser.parse(document, ACL));
        return backendAcl
                .map(OwnerOnlyAclCheck::parsed)
                .filter(own -> areOnly(own.first("Owner"), grantees))
                .switchIfEmpty(Mono.error(() -> new S3Exception(S3ErrorCode.ACL_NOT_SUPPORTED)))
                .then();
    }

    /**
     * Returns the backend's ACL if it grants nothing to others, so that a private ACL would revoke nothing.
     *
     * @throws S3Exception AccessControlListNotSupported for grants to others
     */
    static ByteBuffer requirePrivate(ByteBuffer backendAcl) {
        XmlElement own = parsed(backendAcl);
        if (!areOnly(own.first("Owner"), grantees(own))) {
            throw new S3Exception(
                    S3ErrorCode.ACL_NOT_SUPPORTED,
                    "At the backend this grants rights to others, and the bucket's access-policies do not let the"
                            + " gateway change that.");
        }
        return backendAcl;
    }

    private static XmlElement parsed(ByteBuffer acl) {
        byte[] bytes = new byte[acl.remaining()];
        acl.duplicate().get(bytes);
        return XmlParser.parse(bytes, ACL);
    }

    private static List<XmlElement> grantees(XmlElement acl) {
        return acl.all("AccessControlList")
                .flatMap(list -> list.all("Grant"))
                .flatMap(grant -> grant.all("Grantee"))
                .toList();
    }

    private static boolean areOnly(Optional<XmlElement> owner, List<XmlElement> grantees) {
        return grantees.stream().allMatch(grantee -> isOnly(owner, grantee));
    }

    /**
     * Returns whether a grantee is the owner. Other elements could name a group or an e-mail address. MinIO's owner has
     * an empty id.
     */
    private static boolean isOnly(Optional<XmlElement> owner, XmlElement grantee) {
        return owner.isPresent()
                && grantee.all("ID").count() <= 1
                && id(grantee).equals(id(owner.get()))
                && grantee.textOf(TYPE).map("CanonicalUser"::equals).orElse(true)
                && grantee.children().stream().allMatch(child -> OF_AN_OWNER.contains(child.name()));
    }

    private static String id(XmlElement user) {
        return user.textOf("ID").orElse("");
    }
}
