package io.millrace.gateway.read;

/**
 * Plays all cases of reading with the headers of two load balancers and a tracer, which change neither a response nor
 * the path that it takes.
 */
class BalancedReadTest extends BothPathsReadTest {
    @Override
    RawResponse.Wording wording() {
        return RawResponse.Wording.BALANCED;
    }
}
