package io.millrace.auth.session;

import io.millrace.auth.SessionAncestor;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Encrypts sessions into session tokens and decrypts them, so that no gateway stores a session and all that have the
 * key accept it. Thread-safe.
 *
 * <p>A {@link TokenCipher} encrypts them, for their access key, so a token is valid with its own access key only.
 */
final class SessionTokenSealer {
    /** Length limit in characters; a longer token is refused without decoding it. */
    static final int MOST_CHARACTERS = 4096;

    private static final byte VERSION = 2;

    /**
     * Stands where a tag has its name, so that a gateway that knows no ancestors takes one for a tag that nothing asks
     * for.
     */
    private static final String ANCESTOR = "";

    private static final String SEPARATOR = "\t";

    private final TokenCipher cipher;

    /** @param keys at least one; the first encrypts, all decrypt */
    SessionTokenSealer(List<SessionKey> keys) {
        cipher = new TokenCipher(VERSION, MOST_CHARACTERS, keys);
    }

    /** A session and the secret key of its access key. */
    record Content(String secretKey, Session session) {}

    String seal(String accessKey, Content content) {
        return cipher.seal(accessKey, bytes(content));
    }

    /** Returns the content of a token; empty if it was not sealed with one of the keys for {@code accessKey}. */
    Optional<Content> open(String accessKey, String token) {
        try {
            return cipher.open(accessKey, token).map(SessionTokenSealer::content);
        } catch (IllegalArgumentException notOurs) {
            return Optional.empty();
        }
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
            for (SessionAncestor ancestor : session.grant().ancestors()) {
                out.writeUTF(ANCESTOR);
                out.writeUTF(String.join(
                        SEPARATOR,
                        ancestor.accessKey(),
                        ancestor.principal(),
                        Long.toString(ancestor.issuedAt().toEpochMilli())));
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
            List<SessionAncestor> ancestors = new ArrayList<>();
            while (in.available() > 0) {
                String name = in.readUTF();
                String value = in.readUTF();
                if (name.equals(ANCESTOR)) {
                    ancestors.add(ancestor(value));
                } else {
                    tags.put(name, value);
                }
            }
            return new Content(
                    secretKey, new Session(grant.tagged(tags).chained(ancestors), fingerprint, issuedAt, expiresAt));
        } catch (IOException e) {
            throw new IllegalArgumentException("not a session", e);
        }
    }

    private static SessionAncestor ancestor(String text) {
        String[] parts = text.split(SEPARATOR, -1);
        if (parts.length != 3) {
            throw new IllegalArgumentException("not an ancestor");
        }
        return new SessionAncestor(parts[0], parts[1], Instant.ofEpochMilli(Long.parseLong(parts[2])));
    }
}
