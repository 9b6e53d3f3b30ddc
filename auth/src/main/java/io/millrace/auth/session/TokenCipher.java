package io.millrace.auth.session;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;

/**
 * Encrypts tokens of one kind with the keys of session tokens, so that no gateway stores what they hold and all that
 * have the keys accept them. Thread-safe.
 *
 * <p>Format of a token, in URL-safe Base64: the kind, the key's id, twelve random bytes, the encrypted content, its
 * tag. The kind and the owner are authenticated too, so a token is valid as its kind and with its own owner only.
 */
final class TokenCipher {
    private static final String ALGORITHM = "AES/GCM/NoPadding";
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;
    private static final int HEAD_BYTES = 1 + SessionKey.ID_BYTES + NONCE_BYTES;

    private final byte kind;
    private final int longest;
    private final List<SessionKey> keys;
    private final SecureRandom random = new SecureRandom();

    /**
     * @param kind no other kind of token has it
     * @param longest length limit of tokens in characters; a longer one is refused without decoding it
     * @param keys at least one; the first encrypts, all decrypt
     */
    TokenCipher(byte kind, int longest, List<SessionKey> keys) {
        if (keys.isEmpty()) {
            throw new IllegalArgumentException("there is no key");
        }
        this.kind = kind;
        this.longest = longest;
        this.keys = List.copyOf(keys);
    }

    /**
     * Returns a token with {@code content}.
     *
     * @throws IllegalArgumentException if it would be too long
     */
    String seal(String owner, byte[] content) {
        SessionKey key = keys.get(0);
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        byte[] head = ByteBuffer.allocate(HEAD_BYTES)
                .put(kind)
                .put(key.id())
                .put(nonce)
                .array();
        try {
            byte[] sealed = cipher(Cipher.ENCRYPT_MODE, key, head, owner).doFinal(content);
            String token = Base64.getUrlEncoder()
                    .withoutPadding()
                    .encodeToString(ByteBuffer.allocate(HEAD_BYTES + sealed.length)
                            .put(head)
                            .put(sealed)
                            .array());
            if (token.length() > longest) {
                throw new IllegalArgumentException("the session is too long");
            }
            return token;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has AES with GCM", e);
        }
    }

    /**
     * Returns the content of a token; empty if it was not sealed as this kind, with one of the keys, for {@code owner}.
     */
    Optional<byte[]> open(String owner, String token) {
        if (token.length() > longest) {
            return Optional.empty();
        }
        try {
            byte[] bytes = Base64.getUrlDecoder().decode(token);
            if (bytes.length < HEAD_BYTES + TAG_BITS / 8 || bytes[0] != kind) {
                return Optional.empty();
            }
            byte[] head =
                    ByteBuffer.allocate(HEAD_BYTES).put(bytes, 0, HEAD_BYTES).array();
            byte[] id = new byte[SessionKey.ID_BYTES];
            ByteBuffer.wrap(head, 1, id.length).get(id);
            for (SessionKey key : keys) {
                if (key.hasId(id)) {
                    return Optional.of(cipher(Cipher.DECRYPT_MODE, key, head, owner)
                            .doFinal(bytes, HEAD_BYTES, bytes.length - HEAD_BYTES));
                }
            }
            return Optional.empty();
        } catch (GeneralSecurityException | IllegalArgumentException notOurs) {
            return Optional.empty();
        }
    }

    private static Cipher cipher(int mode, SessionKey key, byte[] head, String owner) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance(ALGORITHM);
        cipher.init(mode, key.key(), new GCMParameterSpec(TAG_BITS, head, HEAD_BYTES - NONCE_BYTES, NONCE_BYTES));
        cipher.updateAAD(head);
        cipher.updateAAD(owner.getBytes(StandardCharsets.UTF_8));
        return cipher;
    }
}
