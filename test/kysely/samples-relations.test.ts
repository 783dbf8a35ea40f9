import { expect, it } from 'vitest'
import { count, exists, many, one } from '../../src/schema.ts'
import { describeDatabases } from '../support/sql.ts'
import { toMusic } from './fixtures/music.ts'
import { openShop } from './fixtures/open.ts'
import { toTrading } from './fixtures/trading.ts'

// Relations by the keys of tables as the world has them: a reference to the own table, links without an id, codes, and tables with
// a key of two columns.

describeDatabases('relations of a music shop', (database) => {
  it('lead over a table of links, to the own table, and from a number of another table', async () => {
    const { ask } = await openShop(database, toMusic, {
      Playlist: {
        relations: {
          tracks: many('track', {
            through: { path: 'playlisttrack', from: 'PlaylistId', to: 'TrackId' },
            filter: ['Name']
          })
        }
      },
      Employee: {
        relations: {
          manager: one('employee', { from: 'ReportsTo' }),
          team: many('employee', { to: 'ReportsTo' }),
          teamSize: count('employee', { to: 'ReportsTo' })
        }
      },
      Artist: { relations: { albums: many('album', { to: 'ArtistId', filter: ['Title'] }) } },
      Track: { relations: { isSold: exists('invoiceline', { to: 'TrackId' }) } }
    })
    const names = (records: { Name: string }[]) => records.map(({ Name }) => Name)
    const get = async (path: string) => (await ask('GET', path)).body

    expect(names((await get('playlist/1?$include=tracks')).tracks)).toEqual(['Moorings', 'NULL'])
    expect(names(await get('playlist?tracks.Name=NULL'))).toEqual(['Evenings', 'evenings'])
    expect(await get('employee/2?$include[]=manager&$include[]=team&$include[]=teamSize')).toMatchObject({
      manager: { EmployeeId: 1 },
      team: [{ EmployeeId: 3 }],
      teamSize: 1
    })
    expect(await get('employee?$include=team.team&ReportsTo=1')).toMatchObject([{ team: [{ team: [] }] }])
    expect(await get('employee?$sort[teamSize]=1&$sort[EmployeeId]=1&$select[]=EmployeeId')).toMatchObject([
      { EmployeeId: 3 },
      { EmployeeId: 1 },
      { EmployeeId: 2 }
    ])
    expect(names(await get('artist?albums.Title='))).toEqual(['夜の汽車'])
    expect((await get('track?$include=isSold')).map(({ isSold }: any) => isSold)).toEqual([true, true, false])
  })
})

describeDatabases('relations of a trading company', (database) => {
  it('lead over codes and over order lines', async () => {
    const { ask } = await openShop(database, toTrading, {
      customers: {
        relations: {
          orders: many('orders', { to: 'customer_id' }),
          orderCount: count('orders', { to: 'customer_id' })
        }
      },
      orders: {
        relations: {
          customer: one('customers', { from: 'customer_id', filter: ['country'] }),
          lines: many('order-details', { to: 'order_id' }),
          products: many('products', {
            through: { path: 'order-details', from: 'order_id', to: 'product_id' },
            filter: ['product_name']
          })
        }
      },
      'Order Details': { relations: { product: one('products', { from: 'product_id' }) } },
      employees: {
        relations: {
          territories: many('territories', {
            through: { path: 'employee_territories', from: 'employee_id', to: 'territory_id' }
          })
        }
      }
    })
    const get = async (path: string) => (await ask('GET', path)).body

    expect(await get('customers?$include[]=orders&$include[]=orderCount&customer_id=KELPO')).toMatchObject([
      { orderCount: 1, orders: [{ order_id: 10_248 }] }
    ])
    expect(await get('orders/10248?$include[]=customer&$include[]=lines.product')).toMatchObject({
      customer: { 'Contact Name': 'Jón Ása' },
      lines: [
        { product_id: 1, product: { product_name: 'Oolong' } },
        { product_id: 2, product: { state: "can't" } }
      ]
    })
    expect(await get('orders?products.product_name=Oolong&$select[]=order_id')).toEqual([
      { order_id: 10_248 },
      { order_id: 10_249 }
    ])
    expect(await get('orders?customer.country=Iceland')).toMatchObject([{ order_id: 10_248 }])
    expect(await get('orders?customer.country=iceland')).toEqual([])
    expect((await get('employees/5?$include=territories')).territories).toMatchObject([
      { territory_id: '01581' },
      { territory_id: 'a/b c?d' }
    ])
  })
})
