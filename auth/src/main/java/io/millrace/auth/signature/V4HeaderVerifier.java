package io.millrace.auth.signature;

import io.millrace.auth.AmzTimestamp;
import io.millrace.auth.Authentication.Signed;
import io.millrace.auth.ChunkSignatureSeed;
import io.millrace.auth.ClockSkew;
import io.millrace.auth.PayloadType;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import io.millrace.auth.SignatureScheme;
import io.millrace.auth.SignedRequest;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Verifies AWS Signature Version 4 in the Authorization header.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-auth-using-authorization-header.html">Using the
 *     Authorization header</a>
 */
record V4HeaderVerifier(V4ServiceProfile profile, V4SignatureCheck signature, ClockSkew skew) {
    /** The scheme's name at the start of the header. */
    static final String ALGORITHM = CanonicalRequest.ALGORITHM;

    /** Every x-amz- header must be signed, so this is too. */
    static final String SECURITY_TOKEN = "x-amz-security-token";

    private static final List<String> NAMES = List.of("Credential", "SignedHeaders", "Signature");

    /**
     * Verifies {@code request}.
     *
     * @param components the header's text after the algorithm
     */
    Signed verify(SignedRequest request, String components, Instant now) throws RequestVerificationException {
        return verify(request, components, payload(request), now);
    }

    /** Verifies {@code request}, whose signature covers {@code payload} whatever the request states. */
    Signed verify(SignedRequest request, String components, PayloadHash payload, Instant now)
            throws RequestVerificationException {
        Components parts = Components.parse(components);
        V4SignatureClaim claim = V4SignatureClaim.parse(
                parts.credential(),
                parts.signedHeaders(),
                parts.signature(),
                profile.service(),
                Code.AUTHORIZATION_HEADER_MALFORMED);
        String timestamp = timestamp(request);
        Instant signedAt = AmzTimestamp.parse(timestamp).orElseThrow(V4HeaderVerifier::noTime);
        if (!claim.scope().date().equals(AmzTimestamp.date(timestamp))) {
            throw malformed("The credential's date is not that of the request's time.");
        }
        skew.require(signedAt, now);
        V4SignatureCheck.Proof proof = signature.prove(
                request, claim, timestamp, payload, SingleValueHeaderReader.find(request, SECURITY_TOKEN));
        Optional<ChunkSignatureSeed> seed = payload.form() instanceof PayloadType.SignedChunks
                ? Optional.of(new ChunkSignatureSeed(proof.key(), claim.scope(), timestamp, claim.signature()))
                : Optional.empty();
        return new Signed(proof.credential(), SignatureScheme.V4_HEADER, payload.form(), signedAt, seed);
    }

    /** The components of the header, each stated once. */
    private record Components(String credential, String signedHeaders, String signature) {
        static Components parse(String text) throws RequestVerificationException {
            @Nullable String[] values = new @Nullable String[NAMES.size()];
            for (int start = 0; start <= text.length(); ) {
                int comma = text.indexOf(',', start);
                int end = comma < 0 ? text.length() : comma;
                int equals = text.indexOf('=', start);
                int name = equals < 0 || equals > end
                        ? -1
                        : NAMES.indexOf(text.substring(start, equals).strip());
                if (name < 0 || values[name] != null) {
                    throw malformed(
                            "The Authorization header must have Credential, SignedHeaders and Signature, each once,"
                                    + " with commas between.");
                }
                values[name] = text.substring(equals + 1, end).strip();
                start = end + 1;
            }
            return new Components(required(values, 0), required(values, 1), required(values, 2));
        }

        private static String required(@Nullable String[] values, int name) throws RequestVerificationException {
            String value = values[name];
            if (value == null || value.isEmpty()) {
                throw malformed("The Authorization header has no " + NAMES.get(name) + '.');
            }
            return value;
        }
    }

    private PayloadHash payload(SignedRequest request) throws RequestVerificationException {
        String stated = SingleValueHeaderReader.find(request, PayloadHash.HEADER);
        return stated == null
                ? new PayloadHash(profile.headerPayload(), PayloadType.UNSTATED)
                : PayloadHash.stated(stated);
    }

    /** Returns the request's time as signed: an HTTP date is converted, any other text is returned as it is. */
    private static String timestamp(SignedRequest request) throws RequestVerificationException {
        String amzDate = SingleValueHeaderReader.find(request, "x-amz-date");
        if (amzDate != null) {
            return amzDate;
        }
        String date = SingleValueHeaderReader.find(request, "date");
        if (date == null) {
            throw noTime();
        }
        return httpDate(date).map(AmzTimestamp::format).orElse(date);
    }

    private static Optional<Instant> httpDate(String date) {
        try {
            return Optional.of(Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(date)));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    private static RequestVerificationException noTime() {
        return new RequestVerificationException(
                Code.ACCESS_DENIED, "A signed request needs its time in x-amz-date, as 20130524T000000Z, or in Date.");
    }

    private static RequestVerificationException malformed(String message) {
        return new RequestVerificationException(Code.AUTHORIZATION_HEADER_MALFORMED, message);
    }
}
