package io.millrace.auth.session;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Encrypts sign-ins that have begun, so that browsers hold them and the gateway stores none. Thread-safe. */
public final class SignInSealer {
    private static final byte KIND = 'i';
    private static final int MOST_CHARACTERS = 1024;
    private static final String OWNER = "sign-in";

    private final Supplier<List<SessionKey>> keys;

    /** @param keys those of session tokens */
    public SignInSealer(Supplier<List<SessionKey>> keys) {
        this.keys = keys;
    }

    public String seal(PendingSignIn pending) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeUTF(pending.state());
            out.writeUTF(pending.nonce());
            out.writeUTF(pending.verifier());
            out.writeLong(pending.startedAt().toEpochMilli());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return cipher().seal(OWNER, bytes.toByteArray());
    }

    /** Returns what was sealed; empty if that was not done here. */
    public Optional<PendingSignIn> open(String sealed) {
        return cipher().open(OWNER, sealed).map(SignInSealer::read);
    }

    private TokenCipher cipher() {
        return new TokenCipher(KIND, MOST_CHARACTERS, keys.get());
    }

    private static PendingSignIn read(byte[] bytes) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            return new PendingSignIn(in.readUTF(), in.readUTF(), in.readUTF(), Instant.ofEpochMilli(in.readLong()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
