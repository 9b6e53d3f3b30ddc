package io.millrace.gateway.s3.bucket;

/**
 * The region that the gateway reports for buckets. Requests signed for any region are accepted, so this is the default
 * of SDKs.
 */
final class GatewayRegion {
    static final String OURS = "us-east-1";

    private GatewayRegion() {}
}
