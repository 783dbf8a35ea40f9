import { type FormEvent, useState } from 'react'
import { client } from './client.ts'
import { type Fault, Field, Message } from './form.tsx'

/** Logs users in, and signs new ones up. */
export function Login() {
  const [fault, setFault] = useState<Fault>()

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()

    const { submitter } = event.nativeEvent as SubmitEvent
    const form = new FormData(event.currentTarget)
    const user = { email: String(form.get('email')), password: String(form.get('password')) }

    try {
      if (submitter?.id === 'sign-up') await client.service('users').create(user)
      await client.authenticate({ strategy: 'local', ...user })
    } catch (error) {
      setFault(error as Fault)
    }
  }

  return (
    <form onSubmit={submit}>
      <Field name="email" label="Email" type="email" autoComplete="username" fault={fault} />
      <Field name="password" label="Password" type="password" autoComplete="current-password" fault={fault} />
      <Message fault={fault} />
      <button type="submit">Log in</button>
      <button type="submit" id="sign-up">
        Sign up
      </button>
    </form>
  )
}
