package io.millrace.gateway.read;

/** The same behind load balancers and with a tracer: their headers change neither a response nor its way. */
class BalancedReadTest extends BothPathsReadTest {
    @Override
    RawResponse.Wording wording() {
        return RawResponse.Wording.BALANCED;
    }
}
