package io.millrace.gateway.read;

/** The suite over any S3 server of this machine, named as {@link EndpointReadTest} has it. Skipped without one. */
class EndpointViewListsTest extends ViewListSuite {
    @Override
    OriginFixture connect() {
        return S3OriginFixture.ofEnvironment();
    }
}
