package io.millrace.auth.signature;

import io.millrace.auth.Authentication;
import io.millrace.auth.IdentityRegistry;
import io.millrace.auth.IdentitySettings;
import io.millrace.auth.PayloadType;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.SignatureSettings;
import io.millrace.auth.SignedRequest;
import io.millrace.auth.policy.AllowRule;
import io.millrace.config.Secret;
import java.net.URI;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Request line and headers of a PUT, for tests; header names in lower case. */
record Upload(String path, Map<String, String> headers) implements SignedRequest {
    static final String ACCESS_KEY = "AKIAIOSFODNN7EXAMPLE";
    static final Secret SECRET = Secret.of("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY");
    static final Instant NOW = Instant.parse("2013-05-24T00:00:00Z");

    private static final RequestVerifier VERIFIER = new RequestVerifier(
            IdentityRegistry.of(
                    List.of(new IdentitySettings("writer", ACCESS_KEY, SECRET, List.of(AllowRule.parse("*"))))),
            SignatureSettings.defaults(),
            InstantSource.fixed(NOW));

    /** Returns an upload signed by {@code RequestSigner}, with these additional headers. */
    static Upload signed(PayloadType form, Map<String, String> headers) {
        RequestSigner signer = new RequestSigner(ACCESS_KEY, SECRET, "us-east-1");
        Map<String, String> all = new LinkedHashMap<>(headers);
        all.put("host", "s3.local");
        all.putAll(signer.sign(URI.create("http://s3.local/bucket/key"), "PUT", headers, form, NOW));
        return new Upload("/bucket/key", all);
    }

    /** Returns the verifier's result. */
    Authentication authentication() throws RequestVerificationException {
        return VERIFIER.verify(this);
    }

    PayloadVerifier reader() throws RequestVerificationException {
        return PayloadVerifier.of(authentication(), PayloadHeaders.of(this), PayloadLimits.defaults());
    }

    @Override
    public String method() {
        return "PUT";
    }

    @Override
    public Optional<String> virtualHostBucket() {
        return Optional.empty();
    }

    @Override
    public List<Parameter> query() {
        return List.of();
    }

    @Override
    public List<String> headerValues(String lowerCaseName) {
        String value = headers.get(lowerCaseName);
        return value == null ? List.of() : List.of(value);
    }

    @Override
    public List<String> headerNames() {
        return List.copyOf(headers.keySet());
    }
}
