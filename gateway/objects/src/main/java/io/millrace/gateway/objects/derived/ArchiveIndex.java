package io.millrace.gateway.objects.derived;

import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.UploadChecksumSpec;
import io.millrace.backend.spi.checksum.Base64Digest;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.checksum.HashDigest;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.gateway.archive.MemberIndex;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;
import java.util.OptionalInt;

/** The members of one version of an archive, and how clients see them. Immutable. */
final class ArchiveIndex {
    /** Members have no type of their own: a page in an archive must not become one of this host. */
    private static final HeaderList FIELDS = HeaderList.EMPTY.with("content-type", "binary/octet-stream");

    private static final HexFormat HEX = HexFormat.of();

    private final ObjectVersion version;
    private final MemberIndex members;
    private final String tagPrefix;
    private final boolean fetched;

    /** @param fetched whether bytes were fetched from the backend to make it */
    ArchiveIndex(ObjectVersion version, MemberIndex members, boolean fetched) {
        this.version = version;
        this.members = members;
        this.fetched = fetched;
        this.tagPrefix = HEX.formatHex(digest(version), 0, 8);
    }

    boolean isOf(ObjectVersion other) {
        return version.equals(other);
    }

    /** Returns whether who waited for it waited for the backend. */
    boolean isFetched() {
        return fetched;
    }

    MemberIndex members() {
        return members;
    }

    /**
     * Returns the tag of a member. In one version of an archive its place identifies its bytes; the dash tells clients
     * that it is no MD5.
     */
    ETag tag(int number) {
        return ETag.strong(tagPrefix + HEX.toHexDigits(members.position(number)) + "-1");
    }

    /** Returns the metadata of a member. */
    ObjectHead head(int number, Optional<Instant> lastModified) {
        Optional<ETag> tag = Optional.of(tag(number));
        ObjectVersion own = ObjectVersion.ofETag(tag, members.contentSize(number), Optional.empty());
        return new ObjectHead(own, tag, lastModified, FIELDS);
    }

    /** Returns the metadata of a member with its checksum. */
    static ObjectHead with(OptionalInt crc32, ObjectHead head) {
        if (crc32.isEmpty()) {
            return head;
        }
        byte[] sum = ByteBuffer.allocate(Integer.BYTES).putInt(crc32.getAsInt()).array();
        return head.withHeaders(head.headers()
                .with(ChecksumAlgorithm.CRC32.headerName(), Base64Digest.encode(sum))
                .with(UploadChecksumSpec.TYPE_HEADER, UploadChecksumSpec.FULL_OBJECT));
    }

    /** Returns 32 bytes that stand for a version of an archive. */
    static byte[] digest(ObjectVersion version) {
        return HashDigest.sha256((version.validator() + '/' + version.size()).getBytes(StandardCharsets.UTF_8));
    }
}
