package io.millrace.gateway.read;

/** Plays all cases of reading by presigned URLs, whose responses are those of signed headers and take the same path. */
class PresignedReadTest extends BothPathsReadTest {
    @Override
    RawResponse.Wording wording() {
        return RawResponse.Wording.PRESIGNED;
    }
}
