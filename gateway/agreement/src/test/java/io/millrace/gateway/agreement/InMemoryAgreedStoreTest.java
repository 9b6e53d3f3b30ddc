package io.millrace.gateway.agreement;

/** The contract, of the store that tests of other code use. */
class InMemoryAgreedStoreTest extends AgreedStoreContract {
    private final InMemoryAgreedStore store = new InMemoryAgreedStore();

    @Override
    AgreedStore store() {
        return store;
    }
}
