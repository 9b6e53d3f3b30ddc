package io.millrace.gateway.read;

/** The same by presigned URLs: their responses are those of signed headers, and come as fast. */
class PresignedReadTest extends BothPathsReadTest {
    @Override
    RawResponse.Wording wording() {
        return RawResponse.Wording.PRESIGNED;
    }
}
