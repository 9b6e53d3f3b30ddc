package io.millrace.auth.session;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;

/**
 * Encrypts sessions into session tokens and decrypts them, so that no gateway stores a session and all that have the key
 * accept it. Thread-safe.
 *
 * <p>Format of a token, in URL-safe Base64: a version, the key's id, twelve random bytes, the encrypted secret key and
 * session, their tag. The access key is authenticated too, so a token is valid with its own access key only.
 */
final class SessionTokenSealer {
    /** Length limit in characters; a longer token is refused without decoding it. */
    static final int MOST_CHARACTERS = 4096;

    private static final byte VERSION = 2;
    private static final String ALGORITHM = "AES/GCM/NoPadding";
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;
    private static final int HEAD_BYTES = 1 + SessionKey.ID_BYTES + NONCE_BYTES;

    private final List<SessionKey> keys;
    private final SecureRandom random = new SecureRandom();

    /** @param keys at least one; the first encrypts, all decrypt */
    SessionTokenSealer(List<SessionKey> keys) {
        if (keys.isEmpty()) {
            throw new IllegalArgumentException("there is no key");
        }
        this.keys = List.copyOf(keys);
    }

    /** A session and the secret key of its access key. */
    record Content(String secretKey, Session session) {}

    String seal(String accessKey, Content content) {
        SessionKey key = keys.get(0);
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        byte[] head = ByteBuffer.allocate(HEAD_BYTES)
                .put(VERSION)
                .put(key.id())
                .put(nonce)
                .array();
        try {
            byte[] sealed = cipher(Cipher.ENCRYPT_MODE, key, head, accessKey).doFinal(bytes(content));
            String token = Base64.getUrlEncoder()
                    .withoutPadding()
                    .encodeToString(ByteBuffer.allocate(HEAD_BYTES + sealed.length)
                            .put(head)
                            .put(sealed)
                            .array());
            if (token.length() > MOST_CHARACTERS) {
                throw new IllegalArgumentException("the session is too long");
            }
            return token;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has AES with GCM", e);
        }
    }

    /** Returns the content of a token; empty if it was not sealed with one of the keys for {@code accessKey}. */
    Optional<Content> open(String accessKey, String token) {
        if (token.length() > MOST_CHARACTERS) {
            return Optional.empty();
        }
        try {
            byte[] bytes = Base64.getUrlDecoder().decode(token);
            if (bytes.length < HEAD_BYTES + TAG_BITS / 8 || bytes[0] != VERSION) {
                return Optional.empty();
            }
            byte[] head =
                    ByteBuffer.allocate(HEAD_BYTES).put(bytes, 0, HEAD_BYTES).array();
            byte[] id = new byte[SessionKey.ID_BYTES];
            ByteBuffer.wrap(head, 1, id.length).get(id);
            for (SessionKey key : keys) {
                if (key.hasId(id)) {
                    return Optional.of(content(cipher(Cipher.DECRYPT_MODE, key, head, accessKey)
                            .doFinal(bytes, HEAD_BYTES, bytes.length - HEAD_BYTES)));
                }
            }
            return Optional.empty();
        } catch (GeneralSecurityException | IllegalArgumentException notOurs) {
            return Optional.empty();
        }
    }

    private static Cipher cipher(int mode, SessionKey key, byte[] head, String accessKey)
            throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance(ALGORITHM);
        cipher.init(mode, key.key(), new GCMParameterSpec(TAG_BITS, head, HEAD_BYTES - NONCE_BYTES, NONCE_BYTES));
        cipher.updateAAD(head);
        cipher.updateAAD(accessKey.getBytes(StandardCharsets.UTF_8));
        return cipher;
    }

    private static byte[] bytes(Content content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Session session = content.session();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeUTF(content.secretKey());
            out.writeUTF(session.grant().role());
            out.writeUTF(session.grant().name());
            out.writeUTF(session.grant().subject());
            out.writeUTF(session.grant().sourceIdentity());
            out.writeUTF(session.grant().policy());
            out.writeLong(session.issuedAt().toEpochMilli());
            out.writeLong(session.expiresAt().getEpochSecond());
            out.writeUTF(session.fingerprint());
            for (Map.Entry<String, String> tag : session.grant().tags().entrySet()) {
                out.writeUTF(tag.getKey());
                out.writeUTF(tag.getValue());
            }
        } catch (IOException e) {
            throw new IllegalArgumentException("the session is too long", e);
        }
        return bytes.toByteArray();
    }

    private static Content content(byte[] bytes) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            String secretKey = in.readUTF();
            SessionGrant grant = new SessionGrant(in.readUTF(), in.readUTF(), in.readUTF(), in.readUTF(), in.readUTF());
            Instant issuedAt = Instant.ofEpochMilli(in.readLong());
            Instant expiresAt = Instant.ofEpochSecond(in.readLong());
            // The first tokens of this version ended here.
            String fingerprint = in.available() > 0 ? in.readUTF() : "";
            Map<String, String> tags = new HashMap<>();
            while (in.available() > 0) {
                tags.put(in.readUTF(), in.readUTF());
            }
            return new Content(secretKey, new Session(grant.tagged(tags), fingerprint, issuedAt, expiresAt));
        } catch (IOException e) {
            throw new IllegalArgumentException("not a session", e);
        }
    }
}
