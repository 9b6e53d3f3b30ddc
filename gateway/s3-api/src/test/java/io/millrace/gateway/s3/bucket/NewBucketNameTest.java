package io.millrace.gateway.s3.bucket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.gateway.error.S3Exception;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NewBucketNameTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "abc",
                "123",
                "a-b.c-d",
                "a--b",
                "a-.b",
                "1.2.3",
                "1.2.3.4.5",
                "192.168.5.a",
                "xn-a",
                "x-xn--a",
                "my-s3alias-x"
            })
    void namesByTheRulesAreAllowed(String name) {
        assertThatCode(() -> NewBucketName.require(new BucketName(name))).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Upper",
                "camelCase",
                "under_score",
                "ends-",
                "192.168.5.123",
                "999.999.999.999",
                "xn--a",
                "sthree-a",
                "amzn-s3-demo-a",
                "a-s3alias",
                "a--ol-s3",
                "abc.mrap",
                "a--x-s3",
                "a--table-s3"
            })
    void othersAreInvalid(String name) {
        assertThatThrownBy(() -> NewBucketName.require(new BucketName(name)))
                .isInstanceOfSatisfying(
                        S3Exception.class, refused -> assertThat(refused.code()).isEqualTo("InvalidBucketName"));
    }

    @Test
    void sixtyThreeCharactersAreTheMost() {
        assertThatCode(() -> NewBucketName.require(new BucketName("a".repeat(63))))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> NewBucketName.require(new BucketName("a".repeat(64))))
                .isInstanceOf(S3Exception.class);
    }
}
