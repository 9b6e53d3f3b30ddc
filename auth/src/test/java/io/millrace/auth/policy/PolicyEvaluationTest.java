package io.millrace.auth.policy;

import static io.millrace.auth.policy.ShortStatements.parse;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.config.problem.InvalidValueException;
import java.net.InetAddress;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Compares decisions with AWS's documented rules, case by case. The pages are those of the IAM User Guide:
 *
 * <ul>
 *   <li>logic: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
 *   <li>operators: .../reference_policies_elements_condition_operators.html
 *   <li>several keys and values: .../reference_policies_condition-logic-multiple-context-keys-or-values.html
 *   <li>variables: .../reference_policies_variables.html
 *   <li>principals: .../reference_policies_elements_principal.html
 *   <li>NotAction, NotResource: .../reference_policies_elements_notaction.html, .../..._notresource.html
 * </ul>
 */
class PolicyEvaluationTest {
    private static final Instant NOW = Instant.parse("2026-11-26T12:00:00Z");

    /** "Determining whether a request is allowed or denied", and the elements of statements. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{ ALLOW, 'Action': 's3:PutObject', 'Resource': '*' } | s3:GetObject | b/k | false",
                "{ ALLOW, ALL } | s3:GetObject | b/k | true",
                "{ ALLOW, ALL }, { DENY, ALL } | s3:GetObject | b/k | false",
                "{ DENY, ALL }, { ALLOW, ALL } | s3:GetObject | b/k | false",
                "{ DENY, 'Action': 's3:PutObject', 'Resource': '*' } | s3:GetObject | b/k | false",
                "{ ALLOW, ALL }, { DENY, 'Action': 's3:GetObject', 'Resource': 'arn:aws:s3:::b/secret/*' } |"
                        + " s3:GetObject | b/secret/k | false",
                "{ ALLOW, ALL }, { DENY, 'Action': 's3:GetObject', 'Resource': 'arn:aws:s3:::b/secret/*' } |"
                        + " s3:GetObject | b/other | true",
                // Actions: case-insensitive, with wildcards.
                "{ ALLOW, 'Action': 'S3:getobject', 'Resource': '*' } | s3:GetObject | b/k | true",
                "{ ALLOW, 'Action': 's3:Get*', 'Resource': '*' } | s3:GetObject | b/k | true",
                "{ ALLOW, 'Action': 's3:*Object', 'Resource': '*' } | s3:PutObject | b/k | true",
                "{ ALLOW, 'Action': 's3:?etObject', 'Resource': '*' } | s3:PutObject | b/k | false",
                "{ ALLOW, 'Action': 's3:GetObject', 'Resource': '*' } | s3:GetObjectVersion | b/k | false",
                "{ ALLOW, 'Action': 's3:*', 'Resource': '*' } | millrace:Administer | b | false",
                "{ ALLOW, 'Action': '*', 'Resource': '*' } | millrace:Administer | b | true",
                // Actions of Millrace: who may do one may do what it includes; to deny a part denies the whole.
                "{ ALLOW, 'Action': 'millrace:Administer', 'Resource': '*' } | millrace:View | b | true",
                "{ ALLOW, 'Action': 'millrace:Operate', 'Resource': '*' } | millrace:View | b | true",
                "{ ALLOW, 'Action': 'millrace:Operate', 'Resource': '*' } | millrace:Administer | b | false",
                "{ ALLOW, 'Action': 'millrace:View', 'Resource': '*' } | millrace:Operate | b | false",
                "{ ALLOW, 'Action': 's3:*', 'Resource': '*' } | millrace:View | b | false",
                "{ ALLOW, ALL }, { DENY, 'Action': 'millrace:Administer', 'Resource': '*' } | millrace:View | b |"
                        + " false",
                "{ ALLOW, ALL }, { DENY, 'Action': 'millrace:View', 'Resource': '*' } | millrace:Administer | b |"
                        + " false",
                "{ ALLOW, ALL }, { DENY, 'Action': 'millrace:Operate', 'Resource': '*' } | millrace:Administer | b |"
                        + " false",
                "{ ALLOW, ALL }, { DENY, 'Action': 'millrace:Operate', 'Resource': '*' } | millrace:View | b | true",
                "{ ALLOW, 'NotAction': 'millrace:Administer', 'Resource': '*' } | millrace:View | b | false",
                "{ ALLOW, 'NotAction': 'millrace:Operate', 'Resource': '*' } | millrace:View | b | true",
                "{ ALLOW, ALL }, { DENY, 'NotAction': 'millrace:View', 'Resource': '*' } | millrace:View | b | true",
                "{ ALLOW, ALL }, { DENY, 'NotAction': 'millrace:View', 'Resource': '*' } | millrace:Operate | b |"
                        + " false",
                // NotAction.
                "{ ALLOW, 'NotAction': 's3:DeleteObject', 'Resource': '*' } | s3:GetObject | b/k | true",
                "{ ALLOW, 'NotAction': 's3:DeleteObject', 'Resource': '*' } | s3:DeleteObject | b/k | false",
                "{ ALLOW, ALL }, { DENY, 'NotAction': 's3:Get*', 'Resource': '*' } | s3:PutObject | b/k | false",
                "{ ALLOW, ALL }, { DENY, 'NotAction': 's3:Get*', 'Resource': '*' } | s3:GetObject | b/k | true",
                // Resources: case-sensitive; a bucket is not its objects; wildcards stand for slashes too.
                "{ ALLOW, 'Action': '*', 'Resource': 'arn:aws:s3:::b' } | s3:GetObject | b/k | false",
                "{ ALLOW, 'Action': '*', 'Resource': 'arn:aws:s3:::b' } | s3:ListBucket | b | true",
                "{ ALLOW, 'Action': '*', 'Resource': 'arn:aws:s3:::b/*' } | s3:ListBucket | b | false",
                "{ ALLOW, 'Action': '*', 'Resource': 'arn:aws:s3:::b/*' } | s3:GetObject | b/k/k | true",
                "{ ALLOW, 'Action': '*', 'Resource': 'arn:aws:s3:::b*' } | s3:GetObject | bucket/k | true",
                "{ ALLOW, 'Action': '*', 'Resource': 'arn:aws:s3:::b*/k' } | s3:GetObject | bucket/k | true",
                "{ ALLOW, 'Action': '*', 'Resource': 'arn:aws:s3:::b*/k' } | s3:GetObject | bucket/x/k | true",
                "{ ALLOW, 'Action': '*', 'Resource': 'arn:aws:s3:::b/K' } | s3:GetObject | b/k | false",
                "{ ALLOW, 'Action': '*', 'Resource': 'arn:aws:s3:::b/?' } | s3:GetObject | b/k | true",
                "{ ALLOW, 'Action': '*', 'Resource': 'arn:aws:s3:::b/?' } | s3:GetObject | b/kk | false",
                "{ ALLOW, 'Action': '*', 'Resource': 'arn:aws:s3:::b/${*}' } | s3:GetObject | b/* | true",
                "{ ALLOW, 'Action': '*', 'Resource': 'arn:aws:s3:::b/${*}' } | s3:GetObject | b/k | false",
                "{ ALLOW, 'Action': '*', 'Resource': ['arn:aws:s3:::a/*', 'arn:aws:s3:::b/*'] } | s3:GetObject | b/k |"
                        + " true",
                // NotResource.
                "{ ALLOW, 'Action': '*', 'NotResource': 'arn:aws:s3:::b/*' } | s3:GetObject | b/k | false",
                "{ ALLOW, 'Action': '*', 'NotResource': 'arn:aws:s3:::b/*' } | s3:GetObject | c/k | true",
                "{ ALLOW, ALL }, { DENY, 'Action': '*', 'NotResource': ['arn:aws:s3:::b', 'arn:aws:s3:::b/*'] } |"
                        + " s3:GetObject | c/k | false",
                "{ ALLOW, ALL }, { DENY, 'Action': '*', 'NotResource': ['arn:aws:s3:::b', 'arn:aws:s3:::b/*'] } |"
                        + " s3:GetObject | b/k | true",
                // Several statements: the order is of no meaning, and one denial is enough.
                "{ ALLOW, 'Action': 's3:GetObject', 'Resource': '*' }, { ALLOW, 'Action': 's3:PutObject', 'Resource':"
                        + " '*' } | s3:PutObject | b/k | true",
                "{ ALLOW, 'Action': 's3:GetObject', 'Resource': '*' }, { ALLOW, 'Action': 's3:PutObject', 'Resource':"
                        + " '*' } | s3:DeleteObject | b/k | false",
                "{ DENY, 'Action': 's3:GetObject', 'Resource': 'arn:aws:s3:::b/secret/*' }, { ALLOW, ALL } |"
                        + " s3:GetObject | b/secret/k | false",
                "{ ALLOW, 'Action': 's3:GetObject', 'Resource': 'arn:aws:s3:::b/secret/k' }, { DENY, 'Action': 's3:*',"
                        + " 'Resource': 'arn:aws:s3:::b/secret/*' } | s3:GetObject | b/secret/k | false",
                "{ ALLOW, ALL }, { ALLOW, ALL }, { DENY, 'Action': 's3:DeleteObject', 'Resource': '*' } |"
                        + " s3:DeleteObject | b/k | false",
                "{ DENY, 'Action': 's3:DeleteObject', 'Resource': '*' } | s3:GetObject | b/k | false",
                "{ ALLOW, ALL }, { DENY, 'Action': 's3:DeleteObject', 'Resource': 'arn:aws:s3:::c/*' } |"
                        + " s3:DeleteObject | b/k | true",
                // Lists of actions and resources: any pair of them.
                "{ ALLOW, 'Action': ['s3:GetObject', 's3:PutObject'], 'Resource': '*' } | s3:PutObject | b/k | true",
                "{ ALLOW, 'Action': ['s3:GetObject', 's3:PutObject'], 'Resource': '*' } | s3:DeleteObject | b/k |"
                        + " false",
                "{ ALLOW, 'Action': ['s3:GetObject', 's3:ListBucket'], 'Resource': ['arn:aws:s3:::b',"
                        + " 'arn:aws:s3:::b/*'] } | s3:ListBucket | b | true",
                "{ ALLOW, 'Action': ['s3:GetObject', 's3:ListBucket'], 'Resource': ['arn:aws:s3:::b',"
                        + " 'arn:aws:s3:::b/*'] } | s3:GetObject | b/k | true",
                "{ ALLOW, 'Action': ['s3:GetObject', 's3:ListBucket'], 'Resource': ['arn:aws:s3:::b',"
                        + " 'arn:aws:s3:::b/*'] } | s3:GetObject | c/k | false",
                "{ ALLOW, 'Action': '*', 'Resource': ['arn:aws:s3:::a/*', 'arn:aws:s3:::b/*'] } | s3:GetObject | c/k |"
                        + " false",
                // Wildcards of actions.
                "{ ALLOW, 'Action': 's3:*', 'Resource': '*' } | s3:GetObject | b/k | true",
                "{ ALLOW, 'Action': 's3:List*', 'Resource': '*' } | s3:ListBucket | b | true",
                "{ ALLOW, 'Action': 's3:List*', 'Resource': '*' } | s3:GetObject | b/k | false",
                "{ ALLOW, 'Action': 's3:GET*', 'Resource': '*' } | s3:GetObject | b/k | true",
                "{ ALLOW, 'Action': 's3:Get*', 'Resource': '*' } | s3:GetObjectVersion | b/k | true",
                "{ ALLOW, 'Action': 's3:?utObject', 'Resource': '*' } | s3:PutObject | b/k | true",
                "{ ALLOW, 'Action': 's3:*Tagging', 'Resource': '*' } | s3:PutObjectTagging | b/k | true",
                "{ ALLOW, 'Action': 's3:*Tagging', 'Resource': '*' } | s3:PutObject | b/k | false",
                // Versions are actions of their own.
                "{ ALLOW, 'Action': 's3:GetObjectVersion', 'Resource': '*' } | s3:GetObject | b/k | false",
                "{ ALLOW, ALL }, { DENY, 'Action': 's3:DeleteObjectVersion', 'Resource': '*' } | s3:DeleteObject | b/k"
                        + " | true",
                "{ ALLOW, ALL }, { DENY, 'Action': 's3:DeleteObjectVersion', 'Resource': '*' } | s3:DeleteObjectVersion"
                        + " | b/k | false",
                // NotAction with several actions, and as a denial that leaves nothing to others.
                "{ ALLOW, 'NotAction': ['s3:DeleteObject', 's3:PutObject'], 'Resource': '*' } | s3:PutObject | b/k |"
                        + " false",
                "{ ALLOW, 'NotAction': ['s3:DeleteObject', 's3:PutObject'], 'Resource': '*' } | s3:GetObject | b/k |"
                        + " true",
                "{ ALLOW, 'NotAction': 's3:*', 'Resource': '*' } | s3:GetObject | b/k | false",
                "{ DENY, 'NotAction': 's3:GetObject', 'Resource': '*' } | s3:GetObject | b/k | false",
                "{ ALLOW, 'Action': 's3:GetObject', 'Resource': '*' }, { DENY, 'NotAction': ['s3:GetObject',"
                        + " 's3:ListBucket'], 'Resource': '*' } | s3:GetObject | b/k | true",
                // Resources: the whole name is compared, from its begin to its end.
                "{ ALLOW, 'Action': '*', 'Resource': 'arn:aws:s3:::b/k' } | s3:GetObject | b/k/k | false",
                "{ ALLOW, 'Action': '*', 'Resource': 'arn:aws:s3:::b/k*' } | s3:GetObject | b/k/k | true",
                "{ ALLOW, 'Action': '*', 'Resource': 'arn:aws:s3:::b/*/k' } | s3:GetObject | b/k | false",
                "{ ALLOW, 'Action': '*', 'Resource': 'arn:aws:s3:::b/*/k' } | s3:GetObject | b/x/y/k | true",
                "{ ALLOW, 'Action': '*', 'Resource': 'arn:aws:s3:::b/*.txt' } | s3:GetObject | b/x/y.txt | true",
                "{ ALLOW, 'Action': '*', 'Resource': 'arn:aws:s3:::b/*.txt' } | s3:GetObject | b/x.txt.gz | false",
                "{ ALLOW, 'Action': '*', 'Resource': 'arn:aws:s3:::b/${$}k' } | s3:GetObject | b/$k | true",
                "{ ALLOW, 'Action': '*', 'Resource': 'arn:aws:s3:::b/${?}' } | s3:GetObject | b/? | true",
                "{ ALLOW, 'Action': '*', 'Resource': 'arn:aws:s3:::b/${?}' } | s3:GetObject | b/k | false",
                "{ ALLOW, 'Action': '*', 'Resource': 'arn:aws:s3:::*' } | s3:GetObject | b/k | true",
                "{ ALLOW, 'Action': '*', 'Resource': 'arn:aws:s3:::*/*' } | s3:ListBucket | b | false",
                "{ ALLOW, ALL }, { DENY, 'Action': '*', 'Resource': 'arn:aws:s3:::b' } | s3:GetObject | b/k | true",
                "{ ALLOW, ALL }, { DENY, 'Action': '*', 'Resource': 'arn:aws:s3:::b/*' } | s3:ListBucket | b | true",
                // NotResource of a statement that allows is as wide as Amazon warns.
                "{ ALLOW, 'Action': 's3:GetObject', 'NotResource': ['arn:aws:s3:::b/*', 'arn:aws:s3:::c/*'] } |"
                        + " s3:GetObject | c/k | false",
                "{ ALLOW, 'Action': 's3:GetObject', 'NotResource': ['arn:aws:s3:::b/*', 'arn:aws:s3:::c/*'] } |"
                        + " s3:GetObject | a/k | true",
                "{ ALLOW, 'Action': 's3:GetObject', 'NotResource': 'arn:aws:s3:::b/*' } | s3:PutObject | c/k | false",
                // A variable in the middle and in a denial.
                "{ ALLOW, ALL }, { DENY, 'Action': '*', 'NotResource': 'arn:aws:s3:::b/${aws:username}/*' } |"
                        + " s3:GetObject | b/trainer/k | true",
                "{ ALLOW, ALL }, { DENY, 'Action': '*', 'NotResource': 'arn:aws:s3:::b/${aws:username}/*' } |"
                        + " s3:GetObject | b/other/k | false",
                "{ ALLOW, 'Action': '*', 'Resource': 'arn:aws:s3:::b/x-${aws:username}-?' } | s3:GetObject |"
                        + " b/x-trainer-1 | true",
                // Variables.
                "{ ALLOW, 'Action': '*', 'Resource': 'arn:aws:s3:::b/${aws:username}/*' } | s3:GetObject | b/trainer/k"
                        + " | true",
                "{ ALLOW, 'Action': '*', 'Resource': 'arn:aws:s3:::b/${aws:username}/*' } | s3:GetObject | b/other/k |"
                        + " false",
                "{ ALLOW, 'Action': '*', 'Resource': 'arn:aws:s3:::home-${aws:username}/*' } | s3:GetObject |"
                        + " home-trainer/k | true"
            })
    void statementsDecideAsAmazonDocuments(String statements, String action, String resource, boolean expected)
            throws Exception {
        assertThat(allows(statements, action, resource, Map.of())).isEqualTo(expected);
    }

    /** Conditions of a statement that allows. The request: 10.1.2.3, TLS, at noon, with {@code prefix=home/a}. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "'StringEquals': { 's3:prefix': 'home/a' } | true",
                "'StringEquals': { 's3:prefix': 'HOME/a' } | false",
                "'StringEquals': { 's3:prefix': 'home/*' } | false",
                "'StringEqualsIgnoreCase': { 's3:prefix': 'HOME/a' } | true",
                "'StringNotEqualsIgnoreCase': { 's3:prefix': 'HOME/a' } | false",
                "'StringLike': { 's3:prefix': 'home/?' } | true",
                "'StringLike': { 's3:prefix': 'Home/*' } | false",
                "'StringNotLike': { 's3:prefix': 'home/*' } | false",
                "'StringNotEquals': { 's3:prefix': 'other' } | true",
                // The names of keys are case-insensitive.
                "'StringEquals': { 'S3:PREFIX': 'home/a' } | true",
                // Several values: any of them matches; negated: none of them.
                "'StringEquals': { 's3:prefix': ['other', 'home/a'] } | true",
                "'StringNotEquals': { 's3:prefix': ['other', 'home/a'] } | false",
                "'StringNotEquals': { 's3:prefix': ['other', 'another'] } | true",
                // Several keys and several operators: all of them match.
                "'StringEquals': { 's3:prefix': 'home/a', 's3:delimiter': '/' } | false",
                "'StringEquals': { 's3:prefix': 'home/a' }, 'Bool': { 'aws:SecureTransport': 'true' } | true",
                "'StringEquals': { 's3:prefix': 'home/a' }, 'Bool': { 'aws:SecureTransport': 'false' } | false",
                // A key that is absent: no match, a match of negated operators, and of IfExists.
                "'StringEquals': { 's3:delimiter': '/' } | false",
                "'StringLike': { 's3:delimiter': '*' } | false",
                "'StringNotEquals': { 's3:delimiter': '/' } | true",
                "'StringNotLike': { 's3:delimiter': '*' } | true",
                "'NumericLessThan': { 's3:max-keys': 10 } | false",
                "'NumericNotEquals': { 's3:max-keys': 10 } | true",
                "'StringEqualsIfExists': { 's3:delimiter': '/' } | true",
                "'StringNotEqualsIfExists': { 's3:delimiter': '/' } | true",
                "'StringEqualsIfExists': { 's3:prefix': 'other' } | false",
                "'NumericLessThanIfExists': { 's3:max-keys': 10 } | true",
                "'Null': { 's3:delimiter': 'true' } | true",
                "'Null': { 's3:delimiter': 'false' } | false",
                "'Null': { 's3:prefix': 'false' } | true",
                "'Null': { 's3:prefix': true } | false",
                // Addresses.
                "'IpAddress': { 'aws:SourceIp': '10.0.0.0/8' } | true",
                "'IpAddress': { 'aws:SourceIp': '10.1.2.3' } | true",
                "'IpAddress': { 'aws:SourceIp': '10.1.2.0/31' } | false",
                "'IpAddress': { 'aws:SourceIp': '10.1.2.2/31' } | true",
                "'IpAddress': { 'aws:SourceIp': ['192.0.2.0/24', '10.0.0.0/8'] } | true",
                "'IpAddress': { 'aws:SourceIp': '::ffff:10.0.0.0/104' } | true",
                "'IpAddress': { 'aws:SourceIp': '2001:db8::/32' } | false",
                "'IpAddress': { 'aws:SourceIp': '0.0.0.0/0' } | true",
                "'NotIpAddress': { 'aws:SourceIp': '10.0.0.0/8' } | false",
                "'NotIpAddress': { 'aws:SourceIp': '192.0.2.0/24' } | true",
                // Dates.
                "'DateLessThan': { 'aws:CurrentTime': '2026-11-26T12:00:01Z' } | true",
                "'DateLessThan': { 'aws:CurrentTime': '2026-11-26T12:00:00Z' } | false",
                "'DateLessThanEquals': { 'aws:CurrentTime': '2026-11-26T12:00:00Z' } | true",
                "'DateGreaterThan': { 'aws:CurrentTime': '2026-11-26' } | true",
                "'DateGreaterThan': { 'aws:CurrentTime': '2026-11-27' } | false",
                "'DateGreaterThanEquals': { 'aws:CurrentTime': '2026-11-26T13:00:00+01:00' } | true",
                "'DateEquals': { 'aws:CurrentTime': 1795694400 } | true",
                "'DateNotEquals': { 'aws:CurrentTime': '2026-11-26T12:00:00Z' } | false",
                // Booleans.
                "'Bool': { 'aws:SecureTransport': true } | true",
                "'Bool': { 'aws:SecureTransport': 'False' } | false",
                // The same operators, on the other side of their limits.
                "'StringLike': { 's3:prefix': '*' } | true",
                "'StringLike': { 's3:prefix': 'home' } | false",
                "'StringLike': { 's3:prefix': '*/a' } | true",
                "'StringLike': { 's3:prefix': 'h?me/a' } | true",
                "'StringLike': { 's3:prefix': ['x/*', 'home/*'] } | true",
                "'StringNotLike': { 's3:prefix': 'x/*' } | true",
                "'StringNotLike': { 's3:prefix': ['x/*', 'home/*'] } | false",
                "'StringEqualsIgnoreCase': { 's3:prefix': 'HOME/b' } | false",
                "'StringNotEqualsIgnoreCase': { 's3:prefix': 'HOME/b' } | true",
                "'StringNotEquals': { 's3:prefix': 'HOME/a' } | true",
                "'StringLikeIfExists': { 's3:prefix': 'x/*' } | false",
                "'StringLikeIfExists': { 's3:delimiter': 'x' } | true",
                "'StringNotLikeIfExists': { 's3:prefix': 'home/*' } | false",
                "'StringEqualsIfExists': { 's3:VersionId': 'v' } | true",
                "'StringEquals': { 's3:VersionId': 'v' } | false",
                "'Null': { 's3:VersionId': 'true', 's3:prefix': 'false' } | true",
                "'Null': { 's3:VersionId': 'true', 's3:delimiter': 'false' } | false",
                "'IpAddress': { 'aws:SourceIp': '10.1.2.4' } | false",
                "'IpAddress': { 'aws:SourceIp': '10.1.2.3/32' } | true",
                "'IpAddressIfExists': { 'aws:SourceIp': '192.0.2.0/24' } | false",
                "'NotIpAddress': { 'aws:SourceIp': ['192.0.2.0/24', '10.0.0.0/8'] } | false",
                "'NotIpAddress': { 'aws:SourceIp': ['192.0.2.0/24', '198.51.100.0/24'] } | true",
                "'DateGreaterThan': { 'aws:CurrentTime': '2026-11-26T12:00:00Z' } | false",
                "'DateGreaterThanEquals': { 'aws:CurrentTime': '2026-11-26T12:00:01Z' } | false",
                "'DateLessThanEquals': { 'aws:CurrentTime': '2026-11-26T11:59:59Z' } | false",
                "'DateNotEquals': { 'aws:CurrentTime': '2026-11-26T12:00:01Z' } | true",
                "'DateGreaterThan': { 'aws:CurrentTime': '2026-11-26T11:00:00Z' }, 'DateLessThan': { 'aws:CurrentTime':"
                        + " '2026-11-26T13:00:00Z' } | true",
                "'DateGreaterThan': { 'aws:CurrentTime': '2026-11-26T12:30:00Z' }, 'DateLessThan': { 'aws:CurrentTime':"
                        + " '2026-11-26T13:00:00Z' } | false",
                "'Bool': { 'aws:SecureTransport': 'true' } | true",
                "'BoolIfExists': { 'aws:SecureTransport': 'false' } | false",
                "'StringLike': { 'aws:username': 'train*' } | true",
                "'StringNotEquals': { 'aws:username': 'trainer' } | false",
                "'StringEqualsIgnoreCase': { 'aws:username': 'TRAINER' } | true",
                "'StringEquals': { 'AWS:UserName': 'trainer' } | true",
                // Names and variables.
                "'StringEquals': { 'aws:username': 'trainer' } | true",
                "'StringLike': { 's3:prefix': ['${aws:username}/*', 'home/*'] } | true",
                "'StringEquals': { 'aws:username': '${aws:username}' } | true"
            })
    void conditionsHoldAsAmazonDocuments(String condition, boolean expected) throws Exception {
        String statement = "ALLOW, ALL, 'Condition': { %s }".formatted(condition);
        String denial = "DENY, ALL, 'Condition': { %s }".formatted(condition);

        assertThat(allows("{ " + statement + " }", "s3:ListBucket", "b", Map.of("prefix", "home/a")))
                .isEqualTo(expected);
        // A denial under the same conditions is the opposite.
        assertThat(allows("{ ALLOW, ALL }, { " + denial + " }", "s3:ListBucket", "b", Map.of("prefix", "home/a")))
                .isEqualTo(!expected);
    }

    @ParameterizedTest
    @CsvSource({
        "NumericEquals, 10, true",
        "NumericNotEquals, 10, false",
        "NumericLessThan, 10, false",
        "NumericLessThan, 11, true",
        "NumericLessThanEquals, 10, true",
        "NumericGreaterThan, 9, true",
        "NumericGreaterThan, 10, false",
        "NumericGreaterThanEquals, 10, true"
    })
    void numbersCompareAsAmazonDocuments(String operator, String value, boolean expected) throws Exception {
        String statement = "{ ALLOW, ALL, 'Condition': { '%s': { 's3:max-keys': '%s' } } }".formatted(operator, value);

        assertThat(allows(statement, "s3:ListBucket", "b", Map.of("max-keys", "10")))
                .isEqualTo(expected);
    }

    /** Within one account a bucket's policy and that of an identity allow alike, and deny alike. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "'Principal': '*' | trainer | true",
                "'Principal': '*' | anonymous | true",
                "'Principal': { 'AWS': '*' } | anonymous | true",
                "'Principal': { 'AWS': '000000000000' } | anonymous | false",
                "'Principal': { 'AWS': '000000000000' } | trainer | true",
                "'Principal': { 'AWS': 'arn:aws:iam::000000000000:root' } | trainer | true",
                "'Principal': { 'AWS': 'arn:aws:iam::000000000000:user/trainer' } | trainer | true",
                "'Principal': { 'AWS': 'arn:aws:iam::000000000000:user/Trainer' } | trainer | false",
                "'Principal': { 'AWS': ['arn:aws:iam::000000000000:user/x', 'arn:aws:iam::000000000000:user/trainer'] }"
                        + " | trainer | true",
                "'Principal': { 'AWS': 'arn:aws:iam::000000000000:user/anonymous' } | anonymous | false",
                "'Principal': '*', 'Condition': { 'StringEquals': { 'aws:username': 'trainer' } } | trainer | true",
                "'Principal': '*', 'Condition': { 'StringEquals': { 'aws:username': 'trainer' } } | anonymous | false",
                "'Principal': '*', 'Condition': { 'StringNotEquals': { 'aws:username': 'trainer' } } | anonymous | true"
            })
    void bucketPolicyConcernsItsPrincipals(String principal, String caller, boolean expected) throws Exception {
        BucketPolicy allowing = bucketPolicy("{ ALLOW, ALL, %s }".formatted(principal));
        BucketPolicy denying = bucketPolicy("{ ALLOW, ALL, 'Principal': '*' }, { DENY, ALL, %s }".formatted(principal));
        Principal who = caller.equals("anonymous")
                ? Principal.ANONYMOUS
                : identity("{ DENY, 'Action': 's3:PutObject', 'Resource': '*' }");

        assertThat(allows(allowing, who, PolicyAction.GET_OBJECT)).isEqualTo(expected);
        assertThat(allows(denying, who, PolicyAction.GET_OBJECT)).isEqualTo(!expected);
        // What the identity's own policy denies stays denied.
        assertThat(allows(allowing, who, PolicyAction.PUT_OBJECT)).isEqualTo(expected && who.isAnonymous());
    }

    /**
     * Statements with variables are remembered for those who sent requests, more of whom there may be than are
     * remembered.
     */
    @Test
    void variablesOfABucketPolicyAreThoseOfTheCaller() throws Exception {
        Authorizer authorizer = authorizer(bucketPolicy(
                "{ ALLOW, 'Action': '*', 'Resource': 'arn:aws:s3:::b/${aws:username}/*', 'Principal': { 'AWS':"
                        + " '000000000000' } }"));
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 2_500; i++) {
                Principal who = new Principal("u" + i, List.of());
                assertThat(allowsRead(authorizer, who, "u" + i + "/k")).isTrue();
                assertThat(allowsRead(authorizer, who, "u" + (i + 1) + "/k")).isFalse();
            }
        }
    }

    private static boolean allowsRead(Authorizer authorizer, Principal who, String key) {
        return authorizer
                .decide(who, PolicyAction.GET_OBJECT, AccessScope.object(new BucketName("bbb"), new ObjectKey(key)))
                .isAllowed();
    }

    /** A session is denied what all identities are, and allowed only what everybody is. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "'*' | true | true",
                "{ 'AWS': 'arn:aws:iam::000000000000:root' } | false | true",
                "{ 'AWS': '000000000000' } | false | true",
                "{ 'AWS': 'arn:aws:iam::000000000000:user/trainer' } | false | false",
                "{ 'AWS': 'arn:aws:iam::000000000000:user/assumed-role/reader/pod' } | false | false"
            })
    void bucketPolicyConcernsSessions(String principal, boolean allowed, boolean denied) throws Exception {
        Principal session = Principal.ofSession("reader", "pod", Map.of(), List.of(), List.of());
        BucketPolicy allowing = bucketPolicy("{ ALLOW, ALL, 'Principal': %s }".formatted(principal));
        BucketPolicy denying =
                bucketPolicy("{ ALLOW, ALL, 'Principal': '*' }, { DENY, ALL, 'Principal': %s }".formatted(principal));

        assertThat(allows(allowing, session, PolicyAction.GET_OBJECT)).isEqualTo(allowed);
        assertThat(allows(denying, session, PolicyAction.GET_OBJECT)).isEqualTo(!denied);
    }

    /** A variable without a value matches nothing, and never opens a statement. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{ ALLOW, 'Principal': '*', 'Action': '*', 'Resource': 'arn:aws:s3:::b/${aws:username}' }",
                "{ ALLOW, 'Principal': '*', 'Action': '*', 'NotResource': 'arn:aws:s3:::b/${aws:username}' }",
                "{ ALLOW, ALL, 'Principal': '*', 'Condition': { 'StringNotEquals': { 's3:VersionId': '${aws:username}'"
                        + " } } }",
                "{ ALLOW, ALL, 'Principal': '*' }, { DENY, 'Principal': '*', 'Action': '*', 'NotResource':"
                        + " 'arn:aws:s3:::b/${aws:username}' }"
            })
    void unsignedRequestsHaveNoName(String statements) throws Exception {
        assertThat(allows(bucketPolicy(statements), Principal.ANONYMOUS, PolicyAction.GET_OBJECT))
                .isFalse();
    }

    /**
     * AWS always knows the address of a request; work without a request has none, and must not pass for that reason.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{ ALLOW, ALL, 'Condition': { 'IpAddress': { 'aws:SourceIp': '10.0.0.0/8' } } } | false",
                "{ ALLOW, ALL, 'Condition': { 'NotIpAddress': { 'aws:SourceIp': '10.0.0.0/8' } } } | false",
                "{ ALLOW, ALL, 'Condition': { 'IpAddressIfExists': { 'aws:SourceIp': '10.0.0.0/8' } } } | true",
                "{ ALLOW, ALL }, { DENY, ALL, 'Condition': { 'IpAddress': { 'aws:SourceIp': '10.0.0.0/8' } } } | false",
                "{ ALLOW, ALL }, { DENY, ALL, 'Condition': { 'NotIpAddress': { 'aws:SourceIp': '10.0.0.0/8' } } } |"
                        + " false",
                "{ ALLOW, ALL }, { DENY, ALL, 'Condition': { 'Bool': { 'aws:SecureTransport': 'false' } } } | true"
            })
    void unknownAddressAllowsNothingAndIsDenied(String statements, boolean expected) throws Exception {
        Principal job = identity(statements).from(RequestSource.INTERNAL);

        assertThat(allows(BucketPolicy.NONE, job, PolicyAction.GET_OBJECT)).isEqualTo(expected);
    }

    /** A key that some backends take for another one is denied if either is. */
    @ParameterizedTest
    @CsvSource({
        "b/secret/k, false",
        "b/public/../secret/k, false",
        "b//secret/k, false",
        "b/secret/../public/k, false",
        "b/secret//k, false",
        "b/public/./k, true",
        "b/.., false"
    })
    void denialOfAKeyAlsoDeniesItsOtherForms(String resource, boolean expected) throws Exception {
        String statements = "{ ALLOW, ALL }, { DENY, 'Action': '*', 'Resource': 'arn:aws:s3:::b/secret/*' }";

        assertThat(allows(statements, "s3:GetObject", resource, Map.of())).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{ ALLOW, ALL } | '' | true",
                "{ ALLOW, 'Action': '*', 'Resource': 'arn:aws:s3:::b/a/*' } | a/ | true",
                "{ ALLOW, 'Action': '*', 'Resource': 'arn:aws:s3:::b/a/*' } | a | false",
                "{ ALLOW, ALL }, { DENY, 'Action': '*', 'Resource': 'arn:aws:s3:::b/a/secret' } | a/ | false",
                "{ ALLOW, ALL }, { DENY, 'Action': '*', 'Resource': 'arn:aws:s3:::b/a/secret' } | b/ | true",
                "{ ALLOW, ALL }, { DENY, 'Action': '*', 'Resource': 'arn:aws:s3:::b/*.key' } | b/ | false",
                "{ ALLOW, ALL }, { DENY, 'Action': '*', 'NotResource': 'arn:aws:s3:::b/a/*' } | a/ | true",
                "{ ALLOW, ALL }, { DENY, 'Action': '*', 'NotResource': 'arn:aws:s3:::b/a/*' } | a | false",
                "{ ALLOW, 'Action': '*', 'NotResource': 'arn:aws:s3:::b/a/*' } | b/ | true",
                "{ ALLOW, 'Action': '*', 'NotResource': 'arn:aws:s3:::b/a/*' } | a | false",
                "{ ALLOW, ALL, 'Condition': { 'IpAddress': { 'aws:SourceIp': '192.0.2.1' } } } | a | false"
            })
    void prefixIsAllowedOnlyIfEveryKeyIs(String statements, String prefix, boolean expected) throws Exception {
        assertThat(authorizer(BucketPolicy.NONE)
                        .decide(
                                identity(statements),
                                PolicyAction.PUT_OBJECT,
                                new AccessScope.KeysBelow(new BucketName("bbb"), prefix.equals("''") ? "" : prefix))
                        .isAllowed())
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{ ALLOW, 'Action': 's3:GetObject', 'Resource': 'arn:aws:s3:::b/a' } | true | false",
                "{ ALLOW, 'Action': 's3:GetObject', 'Resource': 'arn:aws:s3:::c/a' } | false | false",
                "{ ALLOW, 'Action': 's3:GetObject', 'Resource': 'arn:aws:s3:::b' } | false | false",
                "{ ALLOW, 'Action': 's3:ListBucket', 'Resource': 'arn:aws:s3:::b', 'Condition': { 'StringLike': {"
                        + " 's3:prefix': 'x/*' } } } | true | false",
                "{ ALLOW, ALL } | true | true",
                "{ ALLOW, ALL }, { DENY, 'Action': '*', 'Resource': ['arn:aws:s3:::b', 'arn:aws:s3:::b/*'] } | false |"
                        + " false",
                "{ ALLOW, ALL }, { DENY, 'Action': 's3:*', 'Resource': ['arn:aws:s3:::b', 'arn:aws:s3:::b/*'] } | true"
                        + " | true",
                "{ ALLOW, ALL }, { DENY, 'Action': '*', 'Resource': ['arn:aws:s3:::b', 'arn:aws:s3:::b/a*'] } | true |"
                        + " false",
                "{ ALLOW, ALL }, { DENY, ALL, 'Condition': { 'Null': { 's3:prefix': 'true' } } } | true | false",
                "{ ALLOW, ALL }, { DENY, ALL, 'Condition': { 'Bool': { 'aws:SecureTransport': 'true' } } } | false |"
                        + " false",
                "{ ALLOW, 'Action': 'millrace:Administer', 'Resource': '*' } | true | true",
                "{ ALLOW, 'Action': 'millrace:Administer', 'Resource': 'arn:aws:s3:::*' } | true | true",
                "{ ALLOW, 'Action': 'millrace:Administer', 'Resource': 'arn:aws:s3:::b*' } | true | false"
            })
    void bucketIsSeenByWhomAnythingIsAllowed(String statements, boolean sees, boolean operates) throws Exception {
        Authorizer authorizer = authorizer(BucketPolicy.NONE);
        Principal who = identity(statements);

        assertThat(authorizer.seesBucket(who, new BucketName("bbb"))).isEqualTo(sees);
        assertThat(authorizer
                        .decide(who, PolicyAction.ADMINISTER, AccessScope.ALL_BUCKETS)
                        .isAllowed())
                .isEqualTo(operates);
    }

    /** The shorthand is a policy like any other. */
    @Test
    void policyDeniesWhatARuleAllows() throws Exception {
        Principal who = new Principal(
                        "trainer",
                        List.of(AllowRule.parse("*")),
                        List.of(new IdentityPolicy(
                                parse("{ DENY, 'Action': 's3:GetObject', 'Resource': '*' }", false))))
                .from(source());

        assertThat(allows(BucketPolicy.NONE, who, PolicyAction.GET_OBJECT)).isFalse();
        assertThat(allows(BucketPolicy.NONE, who, PolicyAction.PUT_OBJECT)).isTrue();
    }

    @Test
    void explanationNamesTheStatementThatDecides() throws Exception {
        Principal who = identity("{ 'Sid': 'All', ALLOW, ALL }, { 'Sid': 'NoSecrets', DENY, 'Action': '*', 'Resource':"
                + " 'arn:aws:s3:::bbb/secret/*' }");

        assertThat(explanation(who, "public")).contains("test.json, statement 1 (All)");
        assertThat(explanation(who, "secret/k")).contains("test.json, statement 2 (NoSecrets)");
        assertThat(explanation(Principal.ANONYMOUS, "public")).isEmpty();
    }

    private static Optional<String> explanation(Principal who, String key) {
        return authorizer(BucketPolicy.NONE)
                .decide(who, PolicyAction.GET_OBJECT, AccessScope.object(new BucketName("bbb"), new ObjectKey(key)))
                .statement()
                .map(PolicyStatement::name);
    }

    private static boolean allows(BucketPolicy policy, Principal who, PolicyAction action) {
        return authorizer(policy)
                .decide(who, action, AccessScope.object(new BucketName("bbb"), new ObjectKey("k")))
                .isAllowed();
    }

    private static boolean allows(String statements, String action, String resource, Map<String, String> parameters)
            throws Exception {
        String[] parts = longer(resource).split("/", 2);
        Map<String, String> given = new HashMap<>(parameters);
        return authorizer(BucketPolicy.NONE)
                .decide(
                        identity(statements),
                        PolicyAction.named(action).orElseThrow(),
                        AccessScope.resource(
                                        new BucketName(parts[0]),
                                        parts.length == 1 ? Optional.empty() : Optional.of(new ObjectKey(parts[1])))
                                .with(name -> Optional.ofNullable(given.get(name))))
                .isAllowed();
    }

    private static Authorizer authorizer(BucketPolicy policy) {
        return new Authorizer(bucket -> policy, () -> NOW);
    }

    private static Principal identity(String statements) throws Exception {
        IdentityPolicy policy = new IdentityPolicy(parse(longer(statements), false));
        return new Principal("trainer", List.of(), List.of(policy)).from(source());
    }

    private static BucketPolicy bucketPolicy(String statements) throws InvalidValueException {
        return new BucketPolicy(parse(longer(statements), true));
    }

    private static RequestSource source() throws Exception {
        return new RequestSource(InetAddress.getByName("10.1.2.3"), true);
    }

    /** Returns the text with names of buckets that are long enough. */
    private static String longer(String text) {
        return text.replaceAll("(:::|^)([abc])(?=[/']|$)", "$1$2$2$2");
    }
}
