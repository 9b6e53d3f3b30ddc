package io.millrace.gateway.s3.bucket;

/** The region that buckets name. Requests signed for any other are accepted, so it is the one that SDKs take unasked. */
final class GatewayRegion {
    static final String OURS = "us-east-1";

    private GatewayRegion() {}
}
