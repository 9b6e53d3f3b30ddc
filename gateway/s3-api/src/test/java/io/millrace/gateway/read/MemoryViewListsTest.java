package io.millrace.gateway.read;

/** The suite over a backend in memory. */
class MemoryViewListsTest extends ViewListSuite {
    @Override
    OriginFixture connect() {
        return MemoryOriginFixture.create();
    }
}
