package io.millrace.cache.metadata;

import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectVersion;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Encodes and decodes the values of the metadata store. A value is a format byte, the epoch in which the entry was
 * written, block size, version, ETag, last-modified time, fetch time, completeness, headers. Strings are encoded as in
 * {@link DataOutputStream#writeUTF}.
 */
record MetadataValueCodec(VersionFingerprints versions) {
    /** The format of entries; the store notes it, too, and starts empty if it finds another. */
    static final byte FORMAT = 1;

    private static final byte NONE = 0;
    private static final byte WEAK = 1;
    private static final byte STRONG = 2;
    /** The maximum size of a string, and of all headers. */
    private static final int MOST_BYTES = 65_535;

    private static final long NO_TIME = Long.MIN_VALUE;

    /**
     * Returns whether metadata can be stored. S3 limits headers far below these bounds, but other servers may send
     * anything.
     */
    static boolean canEncode(ObjectMetadata metadata) {
        long bytes = 0;
        for (HeaderList.HeaderField field : metadata.head().headers().fields()) {
            // At most three bytes each.
            if (3 * Math.max(field.name().length(), field.value().length()) > MOST_BYTES) {
                return false;
            }
            bytes += field.name().length() + field.value().length();
        }
        return bytes <= MOST_BYTES && 3 * metadata.head().version().validator().length() <= MOST_BYTES;
    }

    /** Encodes metadata that {@linkplain #canEncode can be stored}. */
    byte[] encode(ObjectMetadata metadata, long epoch) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            ObjectHead head = metadata.head();
            out.writeByte(FORMAT);
            out.writeLong(epoch);
            out.writeInt(metadata.blockSize());
            write(out, head.version());
            out.writeUTF(head.eTag().map(ETag::toString).orElse(""));
            out.writeLong(head.lastModified().map(Instant::toEpochMilli).orElse(NO_TIME));
            out.writeLong(metadata.fetchedAt());
            out.writeBoolean(metadata.complete());
            List<HeaderList.HeaderField> fields = head.headers().fields();
            out.writeShort(fields.size());
            for (HeaderList.HeaderField field : fields) {
                out.writeUTF(field.name());
                out.writeUTF(field.value());
            }
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory", e);
        }
        return bytes.toByteArray();
    }

    /**
     * Decodes an entry.
     *
     * @throws IllegalArgumentException if the value is not a valid entry
     */
    ObjectMetadata decode(ObjectId id, byte[] value, StaleEpoch epochs) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(value))) {
            if (in.readByte() != FORMAT) {
                throw new IllegalArgumentException("an entry of another format");
            }
            boolean stale = epochs.isStale(in.readLong());
            int blockSize = in.readInt();
            ObjectVersion version = version(in);
            String tag = in.readUTF();
            long modified = in.readLong();
            long requestedAt = in.readLong();
            boolean complete = in.readBoolean();
            ObjectHead head = new ObjectHead(
                    version,
                    tag.isEmpty() ? Optional.empty() : Optional.of(ETag.parse(tag)),
                    modified == NO_TIME ? Optional.empty() : Optional.of(Instant.ofEpochMilli(modified)),
                    fields(in));
            return new ObjectMetadata(
                    id, head, requestedAt, complete, stale, versions.of(id, version, blockSize), blockSize);
        } catch (IOException e) {
            throw new IllegalArgumentException("an entry that ends too early", e);
        }
    }

    private static void write(DataOutputStream out, ObjectVersion version) throws IOException {
        out.writeByte(
                switch (version.strength()) {
                    case NONE -> NONE;
                    case WEAK -> WEAK;
                    case STRONG -> STRONG;
                });
        out.writeUTF(version.validator());
        out.writeLong(version.size());
        out.writeUTF(version.versionId().orElse(""));
    }

    private static ObjectVersion version(DataInputStream in) throws IOException {
        ObjectVersion.ValidatorStrength strength = switch (in.readByte()) {
            case NONE -> ObjectVersion.ValidatorStrength.NONE;
            case WEAK -> ObjectVersion.ValidatorStrength.WEAK;
            case STRONG -> ObjectVersion.ValidatorStrength.STRONG;
            default -> throw new IllegalArgumentException("an entry with an unknown strength");
        };
        String validator = in.readUTF();
        long size = in.readLong();
        String versionId = in.readUTF();
        return new ObjectVersion(
                strength, validator, size, versionId.isEmpty() ? Optional.empty() : Optional.of(versionId));
    }

    private static HeaderList fields(DataInputStream in) throws IOException {
        List<HeaderList.HeaderField> fields = new ArrayList<>();
        for (int left = in.readUnsignedShort(); left > 0; left--) {
            fields.add(new HeaderList.HeaderField(in.readUTF(), in.readUTF()));
        }
        return new HeaderList(fields);
    }
}
