package io.millrace.loadgen.client;

import io.millrace.auth.PayloadType;
import io.millrace.auth.signature.RequestSigner;
import io.millrace.config.Secret;
import java.net.URI;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Adds the signature headers to requests. Credentials that rotate are read again whenever their supplier returns other
 * ones. Thread-safe.
 */
public final class OutgoingRequestSigner {
    /** Sends requests without a signature. */
    public static final OutgoingRequestSigner ANONYMOUS = new OutgoingRequestSigner("", Optional::empty);

    /**
     * Credentials of an identity.
     *
     * @param sessionToken the token of temporary credentials
     */
    public record Credentials(String accessKey, Secret secretKey, Optional<String> sessionToken) {}

    private record Signing(Credentials credentials, RequestSigner signer) {}

    private final String region;
    private final Supplier<Optional<Credentials>> source;
    private volatile @Nullable Signing latest;

    /**
     * @param source returns the current credentials without blocking; empty sends requests without a signature
     */
    public OutgoingRequestSigner(String region, Supplier<Optional<Credentials>> source) {
        this.region = region;
        this.source = source;
    }

    /** Returns {@code headers} with those of the signature. */
    Map<String, String> sign(BucketAddress endpoint, String method, String target, Map<String, String> headers) {
        Optional<Credentials> current = source.get();
        if (current.isEmpty()) {
            return headers;
        }
        Map<String, String> signed = new HashMap<>(headers);
        current.get().sessionToken().ifPresent(token -> signed.put("x-amz-security-token", token));
        URI uri = URI.create((endpoint.isTls() ? "https://" : "http://") + endpoint.hostHeader() + target);
        signed.putAll(signer(current.get()).sign(uri, method, signed, PayloadType.UNSIGNED, Instant.now()));
        return signed;
    }

    private RequestSigner signer(Credentials current) {
        Signing signing = latest;
        if (signing == null || !signing.credentials.equals(current)) {
            signing = new Signing(current, new RequestSigner(current.accessKey, current.secretKey, region));
            latest = signing;
        }
        return signing.signer;
    }
}
