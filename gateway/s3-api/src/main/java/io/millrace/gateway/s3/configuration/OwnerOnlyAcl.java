package io.millrace.gateway.s3.configuration;

import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.xml.XmlElement;
import io.millrace.gateway.xml.XmlParser;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import reactor.core.publisher.Mono;

/** Tells an access control list that gives its owner what is the owner's anyway from one that grants something to others. */
final class OwnerOnlyAcl {
    private static final String ACL = "AccessControlPolicy";
    private static final String TYPE = "Type";

    /** What says who an owner is, and no more. MinIO repeats the type of a grantee as an element. */
    private static final Set<String> OF_AN_OWNER = Set.of("ID", "DisplayName", TYPE);

    private OwnerOnlyAcl() {}

    /**
     * Completes if the list grants nothing to others. Who the owner is, the backend says: the list could name another.
     *
     * @param backendAcl the backend's own list for the same bucket or object
     * @throws S3Exception AccessControlListNotSupported for rights of others; MalformedXML
     */
    static Mono<Void> require(byte[] document, Mono<ByteBuffer> backendAcl) {
        List<XmlElement> grantees = grantees(XmlParser.parse(document, ACL));
        return backendAcl
                .map(OwnerOnlyAcl::parsed)
                .filter(own -> areOnly(own.first("Owner"), grantees))
                .switchIfEmpty(Mono.error(() -> new S3Exception(S3ErrorCode.ACL_NOT_SUPPORTED)))
                .then();
    }

    /**
     * Passes the backend's own list on if it grants nothing to others, so that there is nothing to take from them.
     *
     * @throws S3Exception AccessControlListNotSupported for rights of others
     */
    static ByteBuffer requirePrivate(ByteBuffer backendAcl) {
        XmlElement own = parsed(backendAcl);
        if (!areOnly(own.first("Owner"), grantees(own))) {
            throw new S3Exception(
                    S3ErrorCode.ACL_NOT_SUPPORTED,
                    "At the backend this grants rights to others, and the bucket's access-rules do not let the gateway"
                            + " change that.");
        }
        return backendAcl;
    }

    private static XmlElement parsed(ByteBuffer acl) {
        byte[] bytes = new byte[acl.remaining()];
        acl.duplicate().get(bytes);
        return XmlParser.parse(bytes, ACL);
    }

    private static List<XmlElement> grantees(XmlElement acl) {
        return acl.all("AccessControlList").stream()
                .flatMap(list -> list.all("Grant").stream())
                .flatMap(grant -> grant.all("Grantee").stream())
                .toList();
    }

    private static boolean areOnly(Optional<XmlElement> owner, List<XmlElement> grantees) {
        return grantees.stream().allMatch(grantee -> isOnly(owner, grantee));
    }

    /** An element that says more could name a group, or somebody by an address. MinIO's owner has an empty id. */
    private static boolean isOnly(Optional<XmlElement> owner, XmlElement grantee) {
        return owner.isPresent()
                && grantee.all("ID").size() <= 1
                && id(grantee).equals(id(owner.get()))
                && grantee.textOf(TYPE).map("CanonicalUser"::equals).orElse(true)
                && grantee.children().stream().allMatch(child -> OF_AN_OWNER.contains(child.name()));
    }

    private static String id(XmlElement user) {
        return user.textOf("ID").orElse("");
    }
}
