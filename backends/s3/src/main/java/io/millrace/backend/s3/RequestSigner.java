package io.millrace.backend.s3;

import io.millrace.backend.s3.Places.Place;
import io.millrace.backend.s3.WireRequest.Body;
import software.amazon.awssdk.auth.credentials.CredentialUtils;
import software.amazon.awssdk.http.ContentStreamProvider;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.SignRequest;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;

/**
 * Writes and signs requests, with the SDK's signer and as the SDK signs them: the path as it is, encoded once.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html">Signature version 4</a>
 */
final class RequestSigner {
    private final AwsV4HttpSigner signer = AwsV4HttpSigner.create();
    private final Places places;

    RequestSigner(Origin origin) {
        this.places = new Places(origin);
    }

    /** The request, ready to be sent; unsigned for the anonymous. */
    SdkHttpRequest sign(WireRequest request, AwsCredentialsIdentity identity) {
        Place place = places.of(request.bucket());
        SdkHttpRequest.Builder head = head(request, place);
        SignedHeaders headers = SignedHeaders.of(request.headers());
        headers.addTo(head);
        addLength(request, head);
        if (CredentialUtils.isAnonymous(identity)) {
            if (isInChunks(request)) {
                head.putHeader(ChunkSignature.CONTENT_HASH, ChunkSignature.CHUNKS);
            }
            return headers.onTheWire(head.build());
        }
        return headers.onTheWire(signed(request, head, place, identity));
    }

    private static SdkHttpRequest.Builder head(WireRequest request, Place place) {
        SdkHttpRequest.Builder head = SdkHttpRequest.builder()
                .method(request.method())
                .protocol(place.url().scheme())
                .host(place.url().host())
                .port(place.url().port() < 0 ? null : place.url().port())
                .encodedPath(request.key()
                        .map(key -> place.pathOf(KeyText.of(key)))
                        .orElse(place.url().encodedPath()));
        request.query()
                .forEach(asked ->
                        head.appendRawQueryParameter(asked.name(), asked.value().isEmpty() ? null : asked.value()));
        return head;
    }

    private static void addLength(WireRequest request, SdkHttpRequest.Builder head) {
        if (request.body() instanceof Body.Stream stream) {
            head.putHeader("content-length", String.valueOf(stream.framing().wireLength()));
            if (stream.framing() instanceof ChunkFraming chunks) {
                head.putHeader("x-amz-decoded-content-length", String.valueOf(chunks.contentLength()))
                        .putHeader("x-amz-trailer", chunks.trailer().name());
            }
            return;
        }
        int length = ((Body.Bytes) request.body()).length();
        boolean brings = request.method() == SdkHttpMethod.PUT || request.method() == SdkHttpMethod.POST;
        if (length > 0 || brings) {
            head.putHeader("content-length", String.valueOf(length));
        }
    }

    private static boolean isInChunks(WireRequest request) {
        return request.body() instanceof Body.Stream stream && stream.framing() instanceof ChunkFraming;
    }

    private SdkHttpRequest signed(
            WireRequest request, SdkHttpRequest.Builder head, Place place, AwsCredentialsIdentity identity) {
        SignRequest.Builder<AwsCredentialsIdentity> sign = SignRequest.builder(identity)
                .putProperty(AwsV4HttpSigner.SERVICE_SIGNING_NAME, place.signingName())
                .putProperty(AwsV4HttpSigner.REGION_NAME, place.signingRegion())
                .putProperty(AwsV4HttpSigner.DOUBLE_URL_ENCODE, false)
                .putProperty(AwsV4HttpSigner.NORMALIZE_PATH, false)
                .putProperty(AwsV4HttpSigner.PAYLOAD_SIGNING_ENABLED, false);
        if (request.body() instanceof Body.Bytes body && body.length() > 0) {
            sign.putProperty(AwsV4HttpSigner.PAYLOAD_SIGNING_ENABLED, true)
                    .payload(ContentStreamProvider.fromByteArray(body.copy()));
        }
        SdkHttpRequest signed = signer.sign(sign.request(head.build()).build()).request();
        return isInChunks(request)
                ? ChunkSignature.resigned(signed, ChunkSignature.CHUNKS, identity.secretAccessKey())
                : signed;
    }
}
