package io.millrace.gateway.agreement;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The binary forms of messages to the voters, of their replies, and of a voter's snapshot: each a byte of its version,
 * then numbers of fixed length, and texts with their length. What is malformed or longer than {@link AgreedLimits} is
 * an {@link IOException}.
 */
final class AgreedCodec {
    private static final int VERSION = 1;

    private AgreedCodec() {}

    /** Writes a form. */
    @FunctionalInterface
    private interface Writer {
        void write(DataOutputStream out) throws IOException;
    }

    /** Reads a form. */
    @FunctionalInterface
    private interface Reader<T> {
        T read(DataInputStream in) throws IOException;
    }

    static byte[] encode(TransactionRequest request) {
        return encoded(out -> {
            writeId(out, request.id());
            out.writeLong(request.seen());
            out.writeShort(request.transaction().compares().size());
            for (RevisionCompare compare : request.transaction().compares()) {
                out.writeUTF(compare.key());
                out.writeLong(compare.revision());
            }
            out.writeShort(request.transaction().changes().size());
            for (Change change : request.transaction().changes()) {
                out.writeUTF(change.key());
                out.writeBoolean(change instanceof Change.Put);
                if (change instanceof Change.Put put) {
                    writeValue(out, put.value());
                }
            }
        });
    }

    static TransactionRequest request(byte[] form) throws IOException {
        return decoded(form, in -> {
            UUID id = readId(in);
            long seen = in.readLong();
            List<RevisionCompare> compares = new ArrayList<>();
            for (int i = readCount(in.readShort(), AgreedLimits.MOST_PARTS); i > 0; i--) {
                compares.add(new RevisionCompare(in.readUTF(), in.readLong()));
            }
            List<Change> changes = new ArrayList<>();
            for (int i = readCount(in.readShort(), AgreedLimits.MOST_PARTS); i > 0; i--) {
                String key = in.readUTF();
                changes.add(in.readBoolean() ? new Change.Put(key, readValue(in)) : new Change.Delete(key));
            }
            return new TransactionRequest(id, seen, new Transaction(compares, changes));
        });
    }

    static byte[] encode(TransactionReply reply) {
        return encoded(out -> writeReply(out, reply));
    }

    static TransactionReply reply(byte[] form) throws IOException {
        return decoded(form, AgreedCodec::readReply);
    }

    static byte[] encodePrefix(String prefix) {
        return encoded(out -> out.writeUTF(prefix));
    }

    static String prefix(byte[] form) throws IOException {
        return decoded(form, in -> in.readUTF());
    }

    static byte[] encode(List<AgreedEntry> entries) {
        return encoded(out -> writeEntries(out, entries));
    }

    static List<AgreedEntry> entries(byte[] form) throws IOException {
        return decoded(form, AgreedCodec::readEntries);
    }

    static byte[] encode(AgreedSnapshot snapshot) {
        return encoded(out -> {
            out.writeLong(snapshot.forgotten());
            out.writeInt(snapshot.remembered().size());
            for (Map.Entry<UUID, TransactionReply> reply : snapshot.remembered().entrySet()) {
                writeId(out, reply.getKey());
                writeReply(out, reply.getValue());
            }
            writeEntries(out, snapshot.entries());
        });
    }

    static AgreedSnapshot snapshot(byte[] form) throws IOException {
        return decoded(form, in -> {
            long forgotten = in.readLong();
            Map<UUID, TransactionReply> remembered = new LinkedHashMap<>();
            for (int i = readCount(in.readInt(), AgreedMap.MOST_REMEMBERED); i > 0; i--) {
                remembered.put(readId(in), readReply(in));
            }
            return new AgreedSnapshot(forgotten, remembered, readEntries(in));
        });
    }

    private static byte[] encoded(Writer writer) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            writer.write(out);
        } catch (IOException e) {
            throw new UncheckedIOException("memory takes any bytes", e);
        }
        return bytes.toByteArray();
    }

    private static <T> T decoded(byte[] form, Reader<T> reader) throws IOException {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(form))) {
            int version = in.readByte();
            if (version != VERSION) {
                throw new IOException("of another release: its version is %d, not %d".formatted(version, VERSION));
            }
            T value = reader.read(in);
            if (in.available() > 0) {
                throw new IOException("malformed: %d bytes after its end".formatted(in.available()));
            }
            return value;
        } catch (EOFException e) {
            throw new IOException("malformed: it ends too early", e);
        } catch (IllegalArgumentException e) {
            throw new IOException("malformed: " + e.getMessage(), e);
        }
    }

    private static int readCount(int count, int most) throws IOException {
        if (count < 0 || count > most) {
            throw new IOException("malformed: %d of something of which there are at most %d".formatted(count, most));
        }
        return count;
    }

    private static void writeId(DataOutputStream out, UUID id) throws IOException {
        out.writeLong(id.getMostSignificantBits());
        out.writeLong(id.getLeastSignificantBits());
    }

    private static UUID readId(DataInputStream in) throws IOException {
        return new UUID(in.readLong(), in.readLong());
    }

    private static void writeReply(DataOutputStream out, TransactionReply reply) throws IOException {
        out.writeUTF(reply.status().name());
        out.writeLong(reply.revision());
    }

    private static TransactionReply readReply(DataInputStream in) throws IOException {
        return new TransactionReply(TransactionReply.Status.valueOf(in.readUTF()), in.readLong());
    }

    private static void writeEntries(DataOutputStream out, List<AgreedEntry> entries) throws IOException {
        out.writeInt(entries.size());
        for (AgreedEntry entry : entries) {
            out.writeUTF(entry.key());
            out.writeLong(entry.revision());
            writeValue(out, entry.value());
        }
    }

    private static List<AgreedEntry> readEntries(DataInputStream in) throws IOException {
        List<AgreedEntry> entries = new ArrayList<>();
        int most = AgreedLimits.MOST_MAP / AgreedMap.ENTRY_OVERHEAD;
        for (int i = readCount(in.readInt(), most); i > 0; i--) {
            String key = in.readUTF();
            long revision = in.readLong();
            AgreedLimits.checkKey(key);
            entries.add(new AgreedEntry(key, readValue(in), revision));
        }
        return entries;
    }

    private static void writeValue(DataOutputStream out, String value) throws IOException {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static String readValue(DataInputStream in) throws IOException {
        byte[] bytes = new byte[readCount(in.readInt(), AgreedLimits.MOST_VALUE)];
        in.readFully(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
