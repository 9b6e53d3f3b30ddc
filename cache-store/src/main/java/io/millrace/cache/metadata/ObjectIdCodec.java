package io.millrace.cache.metadata;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Encodes and decodes the object id that is stored with each cached block: a format byte, backend, bucket, key and
 * version id. Texts are encoded as in {@link DataOutputStream#writeUTF}.
 */
public final class ObjectIdCodec {
    private static final int FORMAT = 1;

    private ObjectIdCodec() {}

    /** Encodes an id. */
    public static byte[] encode(ObjectId id) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            write(id, out);
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory", e);
        }
        return bytes.toByteArray();
    }

    /** Writes an encoded id. */
    static void write(ObjectId id, DataOutputStream out) throws IOException {
        out.writeByte(FORMAT);
        out.writeUTF(id.backend());
        out.writeUTF(id.object().bucket().value());
        out.writeUTF(id.object().key().value());
        out.writeUTF(id.versionId().orElse(""));
    }

    /** Decodes an id; empty if the bytes are invalid. */
    public static Optional<ObjectId> decode(ByteBuffer encoded) {
        byte[] bytes = new byte[encoded.remaining()];
        encoded.duplicate().get(bytes);
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            if (in.readByte() != FORMAT) {
                return Optional.empty();
            }
            String backend = in.readUTF();
            ObjectRef object = new ObjectRef(new BucketName(in.readUTF()), new ObjectKey(in.readUTF()));
            String versionId = in.readUTF();
            return Optional.of(
                    new ObjectId(backend, object, versionId.isEmpty() ? Optional.empty() : Optional.of(versionId)));
        } catch (IOException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
