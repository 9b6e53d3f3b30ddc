package io.millrace.gateway.objects.derived;

import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.UploadChecksumSpec;
import io.millrace.backend.spi.checksum.Base64Digest;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.checksum.HashDigest;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.gateway.archive.ArchiveFormat;
import io.millrace.gateway.archive.MemberIndex;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** The members of one version of an archive, and how clients see them. Thread-safe. */
final class ArchiveIndex {
    /** Members have no type of their own: a page in an archive must not become one of this host. */
    private static final HeaderField TYPE = new HeaderField("content-type", "binary/octet-stream");

    private static final HeaderList FIELDS = new HeaderList(List.of(TYPE));

    private static final HeaderField TYPE_OF_CHECKSUM =
            new HeaderField(UploadChecksumSpec.TYPE_HEADER, UploadChecksumSpec.FULL_OBJECT);

    private static final HexFormat HEX = HexFormat.of();

    private final ObjectVersion version;
    private final MemberIndex members;
    private final String tagPrefix;
    private final boolean fetched;

    /**
     * The length of the local header of each member of a zip, which only that header tells; 0 until it was read. So a
     * warm member costs one read and not two.
     */
    private final AtomicIntegerArray headerLengths;

    /** @param fetched whether bytes were fetched from the backend to make it */
    ArchiveIndex(ObjectVersion version, MemberIndex members, boolean fetched) {
        this.version = version;
        this.members = members;
        this.fetched = fetched;
        this.tagPrefix = HEX.formatHex(digest(version), 0, 8);
        this.headerLengths = new AtomicIntegerArray(members.format() == ArchiveFormat.ZIP ? members.size() : 0);
    }

    /** Returns the bytes that its members take in memory. */
    int bytes() {
        return members.bytes() + headerLengths.length() * Integer.BYTES;
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

    /** Returns where the data of a zip's member begin; empty if its local header was not read yet. */
    OptionalLong dataPosition(int number) {
        int header = headerLengths.getOpaque(number);
        return header == 0 ? OptionalLong.empty() : OptionalLong.of(members.position(number) + header);
    }

    /** Remembers where the data of a zip's member begin, as its local header in this version says. */
    void rememberDataPosition(int number, long position) {
        headerLengths.setOpaque(number, (int) (position - members.position(number)));
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
        HeaderField checksum = new HeaderField(ChecksumAlgorithm.CRC32.headerName(), Base64Digest.encode(sum));
        return head.withHeaders(new HeaderList(List.of(TYPE, checksum, TYPE_OF_CHECKSUM)));
    }

    /** Returns 32 bytes that stand for a version of an archive. */
    static byte[] digest(ObjectVersion version) {
        return HashDigest.sha256((version.validator() + '/' + version.size()).getBytes(StandardCharsets.UTF_8));
    }
}
