package io.millrace.backend.s3;

import io.millrace.backend.http.HttpRequestHead;
import io.millrace.backend.http.ObjectKeyEncoding;
import io.millrace.backend.s3.BucketEndpoints.BucketEndpoint;
import io.millrace.backend.s3.UnsignedRequest.RequestPayload;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import reactor.netty.transport.AddressUtils;
import software.amazon.awssdk.auth.credentials.CredentialUtils;
import software.amazon.awssdk.http.ContentStreamProvider;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.SignRequest;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;
import software.amazon.awssdk.utils.http.SdkHttpUtils;

/**
 * Builds and signs requests with the SDK's signer: SigV4 over the path as it is, encoded once.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html">Signature version 4</a>
 */
final class S3RequestSigner {
    private final AwsV4HttpSigner signer = AwsV4HttpSigner.create();
    private final BucketEndpoints bucketEndpoints;
    private final boolean requesterPays;

    S3RequestSigner(S3Endpoint origin) {
        this.bucketEndpoints = new BucketEndpoints(origin);
        this.requesterPays = origin.requesterPays();
    }

    /** Returns the request ready to be sent; unsigned for anonymous credentials. */
    HttpRequestHead sign(UnsignedRequest request, AwsCredentialsIdentity identity) {
        return toSend(signedOrAnonymous(request, identity));
    }

    private SdkHttpRequest signedOrAnonymous(UnsignedRequest request, AwsCredentialsIdentity identity) {
        BucketEndpoint place = bucketEndpoints.of(request.bucket());
        SdkHttpRequest.Builder head = head(request, place);
        SentAndSignedHeaders headers = SentAndSignedHeaders.of(request.headers());
        headers.addTo(head);
        if (requesterPays) {
            head.putHeader("x-amz-request-payer", "requester");
        }
        addLength(request, head);
        if (CredentialUtils.isAnonymous(identity)) {
            if (isInChunks(request)) {
                head.putHeader(AwsChunkedRequestSigner.CONTENT_HASH, AwsChunkedRequestSigner.UNSIGNED_CHUNKS);
            }
            return headers.restoreSentValues(head.build());
        }
        return headers.restoreSentValues(signed(request, head, place, identity));
    }

    private static SdkHttpRequest.Builder head(UnsignedRequest request, BucketEndpoint place) {
        SdkHttpRequest.Builder head = SdkHttpRequest.builder()
                .method(request.method())
                .protocol(place.url().scheme())
                .host(place.url().host())
                .port(place.url().port() < 0 ? null : place.url().port())
                .encodedPath(request.key()
                        .map(key -> place.pathOf(ObjectKeyEncoding.encode(key)))
                        .orElseGet(place::path));
        request.query()
                .forEach(parameter -> head.appendRawQueryParameter(
                        parameter.name(), parameter.value().isEmpty() ? null : parameter.value()));
        return head;
    }

    private static void addLength(UnsignedRequest request, SdkHttpRequest.Builder head) {
        if (request.body() instanceof RequestPayload.StreamPayload stream) {
            head.putHeader("content-length", String.valueOf(stream.framing().wireLength()));
            if (stream.framing() instanceof AwsChunkedFraming chunks) {
                head.putHeader("x-amz-decoded-content-length", String.valueOf(chunks.contentLength()))
                        .putHeader("x-amz-trailer", chunks.trailer().name());
            }
            return;
        }
        int length = ((RequestPayload.BytesPayload) request.body()).length();
        boolean brings = request.method() == SdkHttpMethod.PUT || request.method() == SdkHttpMethod.POST;
        if (length > 0 || brings) {
            head.putHeader("content-length", String.valueOf(length));
        }
    }

    private static HttpRequestHead toSend(SdkHttpRequest request) {
        List<HeaderField> fields = new ArrayList<>();
        request.forEachHeader((name, values) ->
                values.forEach(value -> fields.add(new HeaderField(name.toLowerCase(Locale.ROOT), value))));
        // The signer has added it, but not for anonymous requests.
        if (request.firstMatchingHeader("host").isEmpty()) {
            fields.add(new HeaderField("host", host(request)));
        }
        String query = request.encodedQueryParameters().map(text -> "?" + text).orElse("");
        return new HttpRequestHead(
                request.method().name(), address(request), request.encodedPath() + query, new HeaderList(fields));
    }

    private static InetSocketAddress address(SdkHttpRequest request) {
        String host = request.host();
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        return AddressUtils.createUnresolved(bracketed ? host.substring(1, host.length() - 1) : host, request.port());
    }

    private static String host(SdkHttpRequest request) {
        return SdkHttpUtils.isUsingStandardPort(request.protocol(), request.port())
                ? request.host()
                : request.host() + ":" + request.port();
    }

    private static boolean isInChunks(UnsignedRequest request) {
        return request.body() instanceof RequestPayload.StreamPayload stream
                && stream.framing() instanceof AwsChunkedFraming;
    }

    private SdkHttpRequest signed(
            UnsignedRequest request,
            SdkHttpRequest.Builder head,
            BucketEndpoint place,
            AwsCredentialsIdentity identity) {
        SignRequest.Builder<AwsCredentialsIdentity> sign = SignRequest.builder(identity)
                .putProperty(AwsV4HttpSigner.SERVICE_SIGNING_NAME, place.signingName())
                .putProperty(AwsV4HttpSigner.REGION_NAME, place.signingRegion())
                .putProperty(AwsV4HttpSigner.DOUBLE_URL_ENCODE, false)
                .putProperty(AwsV4HttpSigner.NORMALIZE_PATH, false)
                .putProperty(AwsV4HttpSigner.PAYLOAD_SIGNING_ENABLED, false);
        if (request.body() instanceof RequestPayload.BytesPayload body && body.length() > 0) {
            sign.putProperty(AwsV4HttpSigner.PAYLOAD_SIGNING_ENABLED, true)
                    .payload(ContentStreamProvider.fromByteArray(body.copy()));
        }
        SdkHttpRequest signed = signer.sign(sign.request(head.build()).build()).request();
        return isInChunks(request)
                ? AwsChunkedRequestSigner.resign(
                        signed, AwsChunkedRequestSigner.UNSIGNED_CHUNKS, identity.secretAccessKey())
                : signed;
    }
}
