package io.millrace.gateway.read;

/**
 * The suite over any S3 server of this machine: {@code MILLRACE_TEST_S3_ENDPOINT}, {@code _ACCESS_KEY} and
 * {@code _SECRET_KEY} say which. Skipped without them.
 */
class EndpointReadTest extends S3ReadSuite {
    @Override
    protected OriginFixture connect() {
        return S3OriginFixture.ofEnvironment();
    }
}
