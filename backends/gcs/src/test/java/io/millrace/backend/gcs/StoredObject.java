package io.millrace.backend.gcs;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Base64;
import java.util.zip.CRC32C;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** An object in a {@link DocumentedGcsServer}; {@code fields} are those of a resource that the client gave. */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record StoredObject(
        byte[] bytes, long generation, long metageneration, Instant updated, boolean composite, ObjectNode fields) {
    String crc32c() {
        CRC32C sum = new CRC32C();
        sum.update(bytes);
        long value = sum.getValue();
        return Base64.getEncoder()
                .encodeToString(
                        new byte[] {(byte) (value >> 24), (byte) (value >> 16), (byte) (value >> 8), (byte) value});
    }

    String md5() {
        try {
            return Base64.getEncoder()
                    .encodeToString(MessageDigest.getInstance("MD5").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    String field(String name) {
        return fields.path(name).asString("");
    }

    ObjectNode resource(String name) {
        ObjectNode resource = JsonMapper.shared().createObjectNode();
        resource.put("name", name)
                .put("generation", Long.toString(generation))
                .put("metageneration", Long.toString(metageneration))
                .put("size", Integer.toString(bytes.length))
                .put("crc32c", crc32c())
                .put("updated", updated.toString())
                .put("timeCreated", updated.toString())
                .put("storageClass", field("storageClass").isEmpty() ? "STANDARD" : field("storageClass"));
        if (!composite) {
            resource.put("md5Hash", md5());
        }
        for (String given :
                new String[] {"contentType", "contentEncoding", "contentLanguage", "contentDisposition", "cacheControl"
                }) {
            if (!field(given).isEmpty()) {
                resource.put(given, field(given));
            }
        }
        if (fields.has("metadata")) {
            resource.set("metadata", fields.get("metadata"));
        }
        return resource;
    }
}
