/** Authorization: principals, their allow rules, and the policy that decides by them. */
@NullMarked
package io.millrace.auth.policy;

import org.jspecify.annotations.NullMarked;
