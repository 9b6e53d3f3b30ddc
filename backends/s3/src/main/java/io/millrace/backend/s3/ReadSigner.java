package io.millrace.backend.s3;

import io.millrace.backend.s3.Places.Place;
import io.millrace.backend.spi.BucketName;
import software.amazon.awssdk.auth.credentials.CredentialUtils;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;

/**
 * Writes and signs GET and HEAD of objects, with the SDK's signer and as the SDK signs them: the path as it is, encoded once.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html">Signature version 4</a>
 */
final class ReadSigner {
    private final AwsV4HttpSigner signer = AwsV4HttpSigner.create();
    private final Places places;

    ReadSigner(Origin origin) {
        this.places = new Places(origin);
    }

    /** The request, ready to be sent; unsigned for the anonymous. */
    SdkHttpRequest sign(SdkHttpMethod method, ReadCall call, AwsCredentialsIdentity identity) {
        BucketName bucket = call.request().object().bucket();
        Place place = places.of(bucket);
        SdkHttpRequest request = request(method, call, place);
        return CredentialUtils.isAnonymous(identity) ? request : signed(request, place, identity);
    }

    private static SdkHttpRequest request(SdkHttpMethod method, ReadCall call, Place place) {
        SdkHttpRequest.Builder request = SdkHttpRequest.builder()
                .method(method)
                .protocol(place.url().scheme())
                .host(place.url().host())
                .port(place.url().port() < 0 ? null : place.url().port())
                .encodedPath(place.pathOf(KeyText.of(call.request().object().key())));
        call.addTo(request);
        return request.build();
    }

    private SdkHttpRequest signed(SdkHttpRequest request, Place place, AwsCredentialsIdentity identity) {
        return signer.sign(sign -> sign.identity(identity)
                        .request(request)
                        .putProperty(AwsV4HttpSigner.SERVICE_SIGNING_NAME, place.signingName())
                        .putProperty(AwsV4HttpSigner.REGION_NAME, place.signingRegion())
                        .putProperty(AwsV4HttpSigner.DOUBLE_URL_ENCODE, false)
                        .putProperty(AwsV4HttpSigner.NORMALIZE_PATH, false)
                        .putProperty(AwsV4HttpSigner.PAYLOAD_SIGNING_ENABLED, false))
                .request();
    }
}
