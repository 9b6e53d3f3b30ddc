package io.millrace.cache;

import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.backend.spi.ObjectVersion;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.FingerprintHash;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Heads as bytes, and the fingerprints of things. The head part of a record: a format byte, backend, bucket, key, the version
 * id asked for; for heads then validator, size, version id, block size, tag, times, completeness, fields. Strings as
 * {@link DataOutputStream#writeUTF} has them, lists behind their length.
 */
final class HeadCodec {
    private static final int FORMAT = 1;

    private final FingerprintHash hash;

    HeadCodec(FingerprintHash hash) {
        this.hash = hash;
    }

    /** What the head of an object is found by. */
    Fingerprint head(ObjectId id) {
        return hash.of(bytes(out -> {
            out.writeByte('h');
            identity(out, id);
        }));
    }

    /** What tells the blocks of one version from all others. */
    Fingerprint version(ObjectId id, ObjectVersion version, int blockSize) {
        return hash.of(bytes(out -> {
            out.writeByte('v');
            identity(out, ObjectId.current(id.backend(), id.object()));
            version(out, version);
            out.writeInt(blockSize);
        }));
    }

    /** The head part of a block's record. */
    byte[] identity(ObjectId id) {
        return bytes(out -> {
            out.writeByte(FORMAT);
            identity(out, id);
        });
    }

    /** The head part of a head's record. */
    byte[] encode(CachedHead cached) {
        ObjectHead head = cached.head();
        return bytes(out -> {
            out.writeByte(FORMAT);
            identity(out, cached.id());
            version(out, head.version());
            out.writeInt(cached.blockSize());
            out.writeUTF(head.eTag().map(ETag::toString).orElse(""));
            out.writeLong(head.lastModified().map(Instant::toEpochMilli).orElse(Long.MIN_VALUE));
            out.writeLong(cached.askedAt());
            out.writeBoolean(cached.complete());
            out.writeInt(head.headers().fields().size());
            for (HeaderList.Field field : head.headers().fields()) {
                out.writeUTF(field.name());
                out.writeUTF(field.value());
            }
        });
    }

    /**
     * Reads the head part of a head's record.
     *
     * @return empty if it is of another object, or cannot be read
     */
    Optional<CachedHead> decode(ObjectId expected, ByteBuffer headPart, boolean doubtful) {
        return decode(headPart, doubtful).filter(head -> head.id().equals(expected));
    }

    /** The same of whatever object it is. */
    Optional<CachedHead> decode(ByteBuffer headPart, boolean doubtful) {
        try (DataInputStream in = input(headPart)) {
            if (in.readByte() != FORMAT) {
                return Optional.empty();
            }
            ObjectId id = identity(in);
            ObjectVersion version = version(in);
            int blockSize = in.readInt();
            String tag = in.readUTF();
            long modified = in.readLong();
            long askedAt = in.readLong();
            boolean complete = in.readBoolean();
            ObjectHead head = new ObjectHead(
                    version,
                    tag.isEmpty() ? Optional.empty() : Optional.of(ETag.parse(tag)),
                    modified == Long.MIN_VALUE ? Optional.empty() : Optional.of(Instant.ofEpochMilli(modified)),
                    fields(in));
            return Optional.of(
                    new CachedHead(id, head, askedAt, complete, doubtful, version(id, version, blockSize), blockSize));
        } catch (IOException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** The object that any record's head part is of; empty if it cannot be read. */
    Optional<ObjectId> identity(ByteBuffer headPart) {
        try (DataInputStream in = input(headPart)) {
            return in.readByte() == FORMAT ? Optional.of(identity(in)) : Optional.empty();
        } catch (IOException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static DataInputStream input(ByteBuffer headPart) {
        byte[] bytes = new byte[headPart.remaining()];
        headPart.duplicate().get(bytes);
        return new DataInputStream(new ByteArrayInputStream(bytes));
    }

    private static HeaderList fields(DataInputStream in) throws IOException {
        List<HeaderList.Field> fields = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            fields.add(new HeaderList.Field(in.readUTF(), in.readUTF()));
        }
        return new HeaderList(fields);
    }

    private static void identity(DataOutputStream out, ObjectId id) throws IOException {
        out.writeUTF(id.backend());
        out.writeUTF(id.object().bucket().value());
        out.writeUTF(id.object().key().value());
        optional(out, id.versionId());
    }

    private static ObjectId identity(DataInputStream in) throws IOException {
        String backend = in.readUTF();
        ObjectRef object = new ObjectRef(new BucketName(in.readUTF()), new ObjectKey(in.readUTF()));
        return new ObjectId(backend, object, optional(in));
    }

    private static void version(DataOutputStream out, ObjectVersion version) throws IOException {
        out.writeUTF(version.strength().name());
        out.writeUTF(version.validator());
        out.writeLong(version.size());
        optional(out, version.versionId());
    }

    private static ObjectVersion version(DataInputStream in) throws IOException {
        return new ObjectVersion(
                ObjectVersion.Strength.valueOf(in.readUTF()), in.readUTF(), in.readLong(), optional(in));
    }

    private static void optional(DataOutputStream out, Optional<String> text) throws IOException {
        out.writeBoolean(text.isPresent());
        if (text.isPresent()) {
            out.writeUTF(text.get());
        }
    }

    private static Optional<String> optional(DataInputStream in) throws IOException {
        return in.readBoolean() ? Optional.of(in.readUTF()) : Optional.empty();
    }

    private interface Content {
        void writeTo(DataOutputStream out) throws IOException;
    }

    private static byte[] bytes(Content content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            content.writeTo(out);
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory", e);
        }
        return bytes.toByteArray();
    }
}
